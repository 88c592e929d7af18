#pragma once

#include "Steps.h"

namespace raceproof {

/// Makes one marker of those that one access of the source has left of neighbouring bytes.
bool joinAdjacent(llvm::Function &function, const Steps &steps);

} // namespace raceproof
