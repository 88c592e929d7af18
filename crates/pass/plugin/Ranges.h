#pragma once

#include "Steps.h"
#include "llvm/IR/PassManager.h"

namespace raceproof {

/// Makes one range check of a marker in a loop: hoisted before it, or sunk behind it where its data decides how long it runs. Out of a
/// worksharing loop it is a range by iterations.
bool moveOutOfLoops(llvm::Function &function, const Steps &steps, llvm::FunctionAnalysisManager &analyses);

} // namespace raceproof
