#pragma once

#include "llvm/IR/PassManager.h"

namespace raceproof {

/// Writes down which accesses stand for each other. Called when all are marked and nothing is optimised.
void noteSites(llvm::Module &module, llvm::ModuleAnalysisManager &analyses);

} // namespace raceproof
