// The late visit: checks that are redundant go, and those of a loop become one of a range.
#pragma once

#include "llvm/IR/PassManager.h"

namespace raceproof {

struct EliminateChecks : llvm::PassInfoMixin<EliminateChecks> {
  explicit EliminateChecks(bool ofLoops) : ofLoops(ofLoops) {}
  llvm::PreservedAnalyses run(llvm::Module &module, llvm::ModuleAnalysisManager &analyses);
  static bool isRequired() { return true; }

private:
  /// Whether checks leave their loops.
  bool ofLoops;
};

/// Removes redundant checks of one function, so that those that are left do not stand in the optimiser's way.
struct EliminateRedundant : llvm::PassInfoMixin<EliminateRedundant> {
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &analyses);
  static bool isRequired() { return true; }
};

} // namespace raceproof
