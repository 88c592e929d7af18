// Markers: calls that stand for accesses of the source between the two visits of the plugin.
//
// A marker touches no memory of the program, so that the optimiser works around it as if it were not there; and it writes memory that only
// the runtime sees, so that it can neither be dropped nor cross a call that may order the task with another.
#pragma once

#include "llvm/IR/InstrTypes.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/PassManager.h"
#include <optional>

namespace raceproof {

enum class Kind { Read, Write };

/// A marker of one access, or of a range of them.
struct Access {
  llvm::CallInst *call;
  Kind kind;
  /// How many dimensions: 0 for one access; 1 and 2 for elements so many bytes apart, and so many rows of them.
  unsigned dimensions;
  /// Whether it left a worksharing loop, each of whose iterations made one element of the last dimension.
  bool isByIterations = false;
  /// Whether it executes only in a run that looks for all pairs of accesses.
  bool isForPairs = false;

  llvm::Value *address() const { return call->getArgOperand(0); }
  llvm::Value *size() const { return call->getArgOperand(1); }
  /// Of a single access: how its address is aligned.
  llvm::Align alignment() const;
  /// The size, if the compiler knows it.
  std::optional<uint64_t> fixedSize() const;
  llvm::Value *count(unsigned dimension) const { return call->getArgOperand(2 + 2 * dimension); }
  llvm::Value *stride(unsigned dimension) const { return call->getArgOperand(3 + 2 * dimension); }
  /// Of one by iterations: the number of the first.
  llvm::Value *firstIteration() const { return call->getArgOperand(2 + 2 * dimensions); }
};

/// Bytes at a fixed distance from a value.
struct Bytes {
  const llvm::Value *base;
  int64_t first;
  uint64_t size;
};

/// What a marker of one access is of, if the compiler knows the size.
std::optional<Bytes> bytesOf(const Access &access);

/// Whether two accesses have one line and column of one function in the source.
bool isSamePlace(const llvm::DebugLoc &one, const llvm::DebugLoc &other);

/// The marker that an instruction is, if it is one.
std::optional<Access> accessOf(const llvm::Instruction &instruction);

/// The name of the function that an instruction calls, if that is defined elsewhere; else empty.
llvm::StringRef calledName(const llvm::Instruction &instruction);

/// Makes a marker one that executes only in a run which looks for all pairs of accesses: others
/// learn nothing from it.
void keepForPairs(const Access &access);

/// Such a marker, if an instruction is one.
std::optional<Access> accessForPairs(const llvm::Instruction &instruction);

/// Whether an instruction is a marker of any kind.
bool isMarker(const llvm::Instruction &instruction);

/// One access.
llvm::CallInst *mark(llvm::Instruction *before, llvm::Value *address, llvm::Value *size, llvm::Align alignment, Kind kind,
                     const llvm::DebugLoc &location);

/// `dimensions` pairs of a count and a stride; with the number of the first iteration if the last dimension is one of iterations.
llvm::CallInst *markRange(llvm::Instruction *before, llvm::Value *address, llvm::Value *size,
                          llvm::ArrayRef<llvm::Value *> countsAndStrides, Kind kind, const llvm::DebugLoc &location,
                          llvm::Value *firstIteration = nullptr);

/// Something else that the runtime is to be told, by a name that begins with `raceproof.`.
llvm::CallInst *markOther(llvm::Instruction *before, llvm::StringRef name, llvm::ArrayRef<llvm::Value *> arguments,
                          const llvm::DebugLoc &location);

/// A read of a pointer to a table of virtual functions, or its write with the new value.
llvm::CallInst *markTable(llvm::Instruction *before, llvm::Value *address, llvm::Value *written, const llvm::DebugLoc &location);

/// Replaces every marker by a call of the runtime. With analyses, those of accesses that are likely to be repeated come behind an inline test whether
/// they are (SameEpoch.h).
bool lower(llvm::Module &module, llvm::FunctionAnalysisManager *analyses);

} // namespace raceproof
