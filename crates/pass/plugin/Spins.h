// Marks of the iterations of loops that wait by looking.
#pragma once

#include "llvm/IR/PassManager.h"

namespace raceproof {

/// Marks where an iteration ends of a loop that does nothing but look at atomic variables, so that the next one does the same as long as none of them has
/// changed. After all that makes loops simpler.
struct MarkSpins : llvm::PassInfoMixin<MarkSpins> {
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &analyses);
  static bool isRequired() { return true; }
};

} // namespace raceproof
