#pragma once

#include "Steps.h"

namespace raceproof {

/// Removes markers whose memory the same step has marked before, on every path, or is about to write. If a marker is in another block than the one that covers it, the
/// report may have to name it: such are kept for pairs.
bool removeRedundant(llvm::Function &function, const Steps &steps);

/// The same in each block by itself.
bool removeRedundantInBlocks(llvm::Function &function, const Steps &steps);

} // namespace raceproof
