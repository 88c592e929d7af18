#pragma once

#include "llvm/IR/PassManager.h"

namespace raceproof {

/// Drops what the debug information says of variables that are not in memory (Variables.cpp).
struct DropRegisterVariables : llvm::PassInfoMixin<DropRegisterVariables> {
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &analyses);
  static bool isRequired() { return true; }
};

} // namespace raceproof
