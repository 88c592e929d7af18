#pragma once

#include "llvm/IR/PassManager.h"

namespace raceproof {

/// Writes down which accesses stand for each other. Called when all are marked and nothing is optimised.
void noteSites(llvm::Module &module, llvm::ModuleAnalysisManager &analyses);

/// Whether the report names one marker wherever it names the other: both are of one place, or stand for each other.
bool areNamedTogether(const llvm::Instruction &one, const llvm::Instruction &other);

} // namespace raceproof
