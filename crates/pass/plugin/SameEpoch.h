#pragma once

#include "Access.h"

namespace raceproof {

/// Puts a call of the runtime for an access of so many bytes behind the test whether the running step has made it before.
void testSameEpoch(llvm::CallInst *call, Kind kind, uint64_t size);

} // namespace raceproof
