#pragma once

#include "Access.h"

namespace raceproof {

/// Puts a call of the runtime for an access of so many bytes behind the test whether the running step has made it before.
void testSameEpoch(llvm::CallInst *call, Kind kind, uint64_t size);

/// Puts calls of the runtime behind the test whether the run looks for all pairs of accesses, where the last of them stands.
void testWatching(llvm::ArrayRef<llvm::CallInst *> calls);

} // namespace raceproof
