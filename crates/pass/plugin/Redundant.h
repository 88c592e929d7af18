#pragma once

#include "Steps.h"

namespace raceproof {

/// Removes markers whose memory the same step has marked before, on every path, or is about to write.
bool removeRedundant(llvm::Function &function, const Steps &steps);

} // namespace raceproof
