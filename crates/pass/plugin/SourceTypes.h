// Types of the source, by the debug information: sizes, elements, members.
#pragma once

#include "llvm/BinaryFormat/Dwarf.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/Type.h"

namespace raceproof {

/// Without names and qualifiers.
const llvm::DIType *stripped(const llvm::DIType *type);

bool isPointer(const llvm::DIType *type);
bool isReference(const llvm::DIType *type);
/// A structure, class or union.
bool isRecord(const llvm::DIType *type);
const llvm::DICompositeType *asArray(const llvm::DIType *type);

/// In bytes; 0 if it is not known.
uint64_t sizeOf(const llvm::DIType *type);
/// Elements along a dimension; 0 if that is not constant.
uint64_t countOf(const llvm::DICompositeType &array, unsigned dimension);
/// From one element to the next along a dimension, in bytes; 0 if that is not constant.
uint64_t strideOf(const llvm::DICompositeType &array, unsigned dimension);

/// Whether a structure goes on with elements of its last member as far as its block has room.
bool endsInFlexibleArray(const llvm::DIType *type);

/// What an instruction moves: tells the members of a union from each other.
enum class Moved { Integer, Float, Pointer, Bytes };

Moved movedBy(const llvm::Type *type);

/// The one member that an access is of, if there is exactly one. Base classes are members too.
const llvm::DIDerivedType *memberAt(const llvm::DICompositeType &record, uint64_t offset, uint64_t size, Moved moved);

/// Whether a type is this one, if the offset is 0, or has it as a base class there.
bool hasBaseAt(const llvm::DIType *type, int64_t offset, const llvm::DIType *base);

/// Whether a record that clang has given this name, or a part of it that stands at an offset, can be of the type: what the source has cast to another type is not.
bool hasRecordAt(const llvm::DIType *type, uint64_t offset, llvm::StringRef name);

} // namespace raceproof
