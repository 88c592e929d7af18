#pragma once

#include "llvm/IR/PassManager.h"

namespace raceproof {

/// Marks the accesses of simd loops for the iterations that may be executed in one vector. The first of all, while the variables still have their names.
struct MarkLanes : llvm::PassInfoMixin<MarkLanes> {
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &analyses);
  static bool isRequired() { return true; }
};

/// Makes one call of the accesses that all iterations of a simd loop make at a fixed distance from each other.
struct HoistLanes : llvm::PassInfoMixin<HoistLanes> {
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &analyses);
  static bool isRequired() { return true; }
};

} // namespace raceproof
