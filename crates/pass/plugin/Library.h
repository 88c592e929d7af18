// Calls of the C library, which is not instrumented: the runtime says what they read and write.
#pragma once

#include "llvm/IR/InstrTypes.h"
#include "llvm/IR/Module.h"

namespace raceproof {

/// Sends the calls of a function through the runtime that are in its table (`crates/native/src/abi/library`): `strcpy(a, b)` becomes
/// `__raceproof_strcpy(strcpy, a, b)`. The first argument goes where no function looks for one (`nest`), so that those with any number of
/// arguments can be passed on. To the optimiser such a call is one of an unknown function: it is neither folded nor merged with another.
/// Calls for which `isUnseen` holds stay what they are.
void redirectLibraryCalls(llvm::Function &function, llvm::function_ref<bool(const llvm::CallBase &)> isUnseen);

/// The function of the C library that a call reaches through the runtime; null, if it is no such call.
const llvm::Function *libraryFunctionOf(const llvm::CallBase &call);

} // namespace raceproof
