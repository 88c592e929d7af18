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

} // namespace raceproof
