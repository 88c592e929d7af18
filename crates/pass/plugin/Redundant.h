#pragma once

#include "Steps.h"

namespace raceproof {

/// Removes markers whose memory the same step has marked before, on every path, or is about to write, and keeps those for pairs that a report would
/// otherwise not name.
bool removeRedundant(llvm::Function &function, const Steps &steps);

/// The same in each block by itself, of those that nobody would miss.
bool removeRedundantInBlocks(llvm::Function &function, const Steps &steps);

} // namespace raceproof
