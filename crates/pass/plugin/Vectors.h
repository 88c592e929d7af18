// Memory that vector code accesses by intrinsics: lanes under a mask, and lanes at addresses of
// their own.
#pragma once

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/IntrinsicInst.h"

namespace raceproof {

enum class Kind;

/// Visits what an intrinsic accesses, with the address and the number of bytes of each lane: none
/// for one that its mask leaves out.
void visitLanes(llvm::IntrinsicInst &call,
                llvm::function_ref<void(llvm::Value *address, llvm::Value *size, Kind kind)> visit);

/// Whether it is such an intrinsic.
bool accessesLanes(const llvm::Instruction &instruction);

} // namespace raceproof
