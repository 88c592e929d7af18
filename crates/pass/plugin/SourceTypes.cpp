#include "SourceTypes.h"

#include "llvm/IR/Constants.h"

using namespace llvm;

namespace raceproof {

const DIType *stripped(const DIType *type) {
  while (auto *derived = dyn_cast_or_null<DIDerivedType>(type)) {
    switch (derived->getTag()) {
    case dwarf::DW_TAG_typedef:
    case dwarf::DW_TAG_const_type:
    case dwarf::DW_TAG_volatile_type:
    case dwarf::DW_TAG_restrict_type:
    case dwarf::DW_TAG_atomic_type:
    case dwarf::DW_TAG_member:
      type = derived->getBaseType();
      continue;
    default:
      return type;
    }
  }
  return type;
}

bool isPointer(const DIType *type) { return type && type->getTag() == dwarf::DW_TAG_pointer_type; }

bool isReference(const DIType *type) {
  return type && (type->getTag() == dwarf::DW_TAG_reference_type || type->getTag() == dwarf::DW_TAG_rvalue_reference_type);
}

bool isRecord(const DIType *type) {
  auto *composite = dyn_cast_or_null<DICompositeType>(type);
  return composite && (composite->getTag() == dwarf::DW_TAG_union_type || composite->getTag() == dwarf::DW_TAG_structure_type ||
                       composite->getTag() == dwarf::DW_TAG_class_type);
}

const DICompositeType *asArray(const DIType *type) {
  auto *composite = dyn_cast_or_null<DICompositeType>(type);
  return composite && composite->getTag() == dwarf::DW_TAG_array_type ? composite : nullptr;
}

uint64_t sizeOf(const DIType *type) {
  type = stripped(type);
  if (!type)
    return 0;
  return isPointer(type) || isReference(type) ? 8 : type->getSizeInBits() / 8;
}

uint64_t countOf(const DICompositeType &array, unsigned dimension) {
  if (dimension >= array.getElements().size())
    return 0;
  auto *range = dyn_cast_or_null<DISubrange>(array.getElements()[dimension]);
  if (!range)
    return 0;
  auto *count = dyn_cast_if_present<ConstantInt *>(range->getCount());
  return count && count->getSExtValue() > 0 ? count->getZExtValue() : 0;
}

/// Whether a member is an array whose length is the rest of the block, `int data[];` or `int data[0];`, or ends in one.
static bool isFlexible(const DIDerivedType &member) {
  if (endsInFlexibleArray(member.getBaseType()))
    return true;
  auto *array = asArray(stripped(member.getBaseType()));
  return array && array->getElements().size() == 1 && array->getSizeInBits() == 0 && countOf(*array, 0) == 0;
}

static const DIDerivedType *lastMember(const DICompositeType &record) {
  const DIDerivedType *last = nullptr;
  for (const DINode *element : record.getElements())
    if (auto *member = dyn_cast_or_null<DIDerivedType>(element); member && member->getTag() == dwarf::DW_TAG_member && !member->isStaticMember())
      last = member;
  return last;
}

bool endsInFlexibleArray(const DIType *type) {
  type = stripped(type);
  if (!isRecord(type) || type->getTag() == dwarf::DW_TAG_union_type)
    return false;
  const DIDerivedType *last = lastMember(*cast<DICompositeType>(type));
  return last && isFlexible(*last);
}

uint64_t strideOf(const DICompositeType &array, unsigned dimension) {
  uint64_t stride = sizeOf(array.getBaseType());
  for (unsigned inner = dimension + 1; inner < array.getElements().size(); ++inner)
    stride *= countOf(array, inner);
  return stride;
}

Moved movedBy(const Type *type) {
  if (type->isPointerTy())
    return Moved::Pointer;
  if (type->isFloatingPointTy())
    return Moved::Float;
  return type->isIntegerTy() ? Moved::Integer : Moved::Bytes;
}

static bool isMovedAs(const DIType *type, Moved moved) {
  type = stripped(type);
  if (isPointer(type) || isReference(type))
    return moved == Moved::Pointer;
  if (auto *basic = dyn_cast_or_null<DIBasicType>(type))
    return (basic->getEncoding() == dwarf::DW_ATE_float) == (moved == Moved::Float) && moved != Moved::Pointer;
  return type && type->getTag() == dwarf::DW_TAG_enumeration_type && moved == Moved::Integer;
}

const DIDerivedType *memberAt(const DICompositeType &record, uint64_t offset, uint64_t size, Moved moved) {
  const DIDerivedType *only = nullptr;
  bool isOnly = true, isExact = false;
  const DIDerivedType *flexible = endsInFlexibleArray(&record) ? lastMember(record) : nullptr;
  for (const DINode *element : record.getElements()) {
    auto *member = dyn_cast_or_null<DIDerivedType>(element);
    if (!member || member->isStaticMember() ||
        (member->getTag() != dwarf::DW_TAG_member && member->getTag() != dwarf::DW_TAG_inheritance))
      continue;
    uint64_t from = member->getOffsetInBits() / 8, length = sizeOf(member->getBaseType());
    bool isInside = offset >= from && (member == flexible || offset + size <= from + length);
    if (member->isBitField() || member->isVirtual() || !isInside)
      continue;
    // Of members that overlap, the one whose type is what is moved.
    bool fits = offset == from && size == length && isMovedAs(member->getBaseType(), moved);
    if (only && fits == isExact)
      isOnly = false;
    if (!only || (fits && !isExact)) {
      isOnly = !only || fits;
      only = member;
      isExact = fits;
    }
  }
  return isOnly ? only : nullptr;
}

/// `struct.ns::Box<int>.3` is called `Box`.
static StringRef plainName(StringRef name) {
  name = name.split('<').first;
  size_t scope = name.rfind("::");
  return scope == StringRef::npos ? name : name.drop_front(scope + 2);
}

bool hasBaseAt(const DIType *type, int64_t offset, const DIType *base) {
  type = stripped(type);
  if (type == base && offset == 0)
    return true;
  return isRecord(type) && any_of(cast<DICompositeType>(type)->getElements(), [&](const DINode *element) {
    auto *inherited = dyn_cast_or_null<DIDerivedType>(element);
    return inherited && inherited->getTag() == dwarf::DW_TAG_inheritance && !inherited->isVirtual() &&
           hasBaseAt(inherited->getBaseType(), offset - int64_t(inherited->getOffsetInBits() / 8), base);
  });
}

static bool hasRecordAt(const DIType *type, uint64_t offset, StringRef name, unsigned deep) {
  type = stripped(type);
  if (deep == 0 || !type)
    return false;
  if (auto *array = asArray(type)) {
    uint64_t size = sizeOf(array->getBaseType());
    return size != 0 && hasRecordAt(array->getBaseType(), offset % size, name, deep - 1);
  }
  if (!isRecord(type))
    return false;
  auto *record = cast<DICompositeType>(type);
  // Of a class that is described elsewhere nothing is known.
  if (record->isForwardDecl() || record->getName().empty() || plainName(record->getName()) == name)
    return true;
  return any_of(record->getElements(), [&](const DINode *element) {
    auto *member = dyn_cast_or_null<DIDerivedType>(element);
    if (!member || member->isStaticMember())
      return false;
    uint64_t from = member->getOffsetInBits() / 8;
    return offset >= from && (offset - from < sizeOf(member->getBaseType()) || isFlexible(*member)) &&
           hasRecordAt(member->getBaseType(), offset - from, name, deep - 1);
  });
}

bool hasRecordAt(const DIType *type, uint64_t offset, StringRef name) {
  StringRef ownName = name.split('.').second.split('<').first;
  // Those without a name have one of clang's: `struct.anon.4`, `class.anon`.
  if (ownName.empty() || ownName.starts_with("anon"))
    return true;
  return hasRecordAt(type, offset, plainName(ownName).split('.').first, 16);
}

} // namespace raceproof
