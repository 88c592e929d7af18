// Marks of the iterations of worksharing loops.
#pragma once

#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/PassManager.h"

namespace raceproof {

/// Marks where an iteration of a worksharing loop begins, and tells the runtime which loops have such marks. Before variables become registers: the loop is
/// recognised by them.
struct MarkIterations : llvm::PassInfoMixin<MarkIterations> {
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &analyses);
  static bool isRequired() { return true; }
};

/// Whether a call has the OpenMP runtime set the bounds of a loop, or of its next chunk, in variables of the compiler's own.
bool setsBounds(const llvm::Instruction &instruction);

/// Whether an instruction marks the beginning of an iteration, whose number is its argument.
bool isIteration(const llvm::Instruction &instruction);

/// Removes marks from loops in which nothing is left that the runtime would see.
bool removeIdleIterations(llvm::Function &function, const llvm::LoopInfo &loops);

} // namespace raceproof
