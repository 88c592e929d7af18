// Lvalues: the expression of the source that an address stands for, from the instructions that compute it and the debug information of the
// variables in these. Where something has no expression (a pointer made of a number, a choice between two) there is none.
#pragma once

#include "SourceTypes.h"
#include "llvm/IR/Function.h"
#include <functional>
#include <string>

namespace raceproof {

/// The access path of an access of so many bytes, as AccessPaths.h has it; empty if there is none.
using PathOf = std::function<std::string(const llvm::Value *address, uint64_t size, Moved moved)>;

/// For the accesses of a function as clang has made it.
PathOf pathsIn(const llvm::Function &function);

} // namespace raceproof
