#pragma once

#include "llvm/IR/Module.h"

namespace raceproof {

/// Removes markers of memory whose accesses are ordered in every schedule: what a task is handed in its descriptor (Descriptors.cpp), and
/// static variables that only `main` writes (Statics.cpp).
bool removeOrdered(llvm::Module &module);

bool removeOfDescriptors(llvm::Module &module);
bool removeOfStatics(llvm::Module &module);

} // namespace raceproof
