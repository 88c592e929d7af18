#pragma once

#include "llvm/IR/Value.h"

namespace raceproof {

/// Whether the pointer variable at an address is never assigned anything but what an allocation has returned: then an element of what it points to has an index
/// that can be told from the block. Follows the variable into the constructs that capture it; a variable whose address goes anywhere else is not known.
bool holdsBlocks(const llvm::Value *variable);

} // namespace raceproof
