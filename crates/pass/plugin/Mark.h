// The early visit: every access of the source gets its marker.
#pragma once

#include "llvm/IR/PassManager.h"

namespace raceproof {

/// Marks the accesses of every function that is to be instrumented.
struct MarkAccesses : llvm::PassInfoMixin<MarkAccesses> {
  llvm::PreservedAnalyses run(llvm::Module &module, llvm::ModuleAnalysisManager &analyses);
  static bool isRequired() { return true; }
};

/// Drops markers of local variables that nobody else can reach, once inlining has shown that.
struct DropPrivate : llvm::PassInfoMixin<DropPrivate> {
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &analyses);
  static bool isRequired() { return true; }
};

} // namespace raceproof
