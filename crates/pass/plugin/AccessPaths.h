// Access paths: what the source calls the memory of an access.
//
// `w.energy`, `bins[i]`, `tmp->criterion`: built when the pipeline starts, where every access still has the address expression that clang made of
// the source, and the debug information of each variable in it. A path is handed from there to the report in two parts. The debug
// location of the access gets the hash of the path as its discriminator, which the optimiser keeps with the line and column, and the assembler writes
// to the line table. The texts are in a section of mergeable strings, `.raceproof.paths`, so that the linker keeps one of each. Nothing of it is
// loaded with the program.
//
// The text is `KIND NUMBER ' ' EXPRESSION`. The kinds:
//
//   v  in a variable of a function, declared at line NUMBER, or 0 where that is not known
//   g  in a global variable
//   p  NUMBER bytes behind what the leftmost pointer (or reference) points to
//   b  the same, where that is the start of an allocated block
//
// An index that is not constant is written `{i:8}`: the index as the source has it, and the bytes from one element to the next, or 0
// where these are not known.
#pragma once

#include "llvm/IR/PassManager.h"

namespace raceproof {

/// Attaches its path to every access.
struct DescribeAccesses : llvm::PassInfoMixin<DescribeAccesses> {
  llvm::PreservedAnalyses run(llvm::Module &module, llvm::ModuleAnalysisManager &analyses);
  static bool isRequired() { return true; }
};

/// The two ends of a copy have a path each; an access of one end has that of the destination.
enum class CopyEnd { Destination = 0, Source = 1 };

/// The debug location of an access, with its path if one is attached.
llvm::DebugLoc locationWithPath(const llvm::Instruction &access, CopyEnd end = CopyEnd::Destination);

/// Removes what `DescribeAccesses` has attached.
void forgetPaths(llvm::Instruction &access);

/// Writes the texts of the paths that are left.
void emitPaths(llvm::Module &module);

} // namespace raceproof
