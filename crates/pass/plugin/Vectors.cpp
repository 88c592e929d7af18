// Each lane is an access of its own, so that one that the mask leaves out is none. Where the mask is
// constant, the lanes that are in it are accesses of a known size.

#include "Vectors.h"
#include "Access.h"

#include "llvm/IR/Module.h"

using namespace llvm;

namespace raceproof {

namespace {

/// Which operands of an intrinsic say what it accesses.
struct Shape {
  enum { Masked, Spread, Packed, Gathered, Whole } form;
  Kind kind;
  /// The pointer, or the pointers, and the mask.
  unsigned address, mask;
  /// What is written; the result, if it reads.
  unsigned value = 0;
};

std::optional<Shape> shapeOf(const IntrinsicInst &call) {
  switch (call.getIntrinsicID()) {
  case Intrinsic::masked_load:
    return Shape{Shape::Masked, Kind::Read, 0, 2};
  case Intrinsic::masked_store:
    return Shape{Shape::Masked, Kind::Write, 1, 3, 0};
  case Intrinsic::masked_gather:
    return Shape{Shape::Spread, Kind::Read, 0, 2};
  case Intrinsic::masked_scatter:
    return Shape{Shape::Spread, Kind::Write, 1, 3, 0};
  case Intrinsic::masked_expandload:
    return Shape{Shape::Packed, Kind::Read, 0, 1};
  case Intrinsic::masked_compressstore:
    return Shape{Shape::Packed, Kind::Write, 1, 2, 0};
  default:
    break;
  }
  StringRef name = call.getCalledFunction()->getName();
  if (!name.consume_front("llvm.x86."))
    return std::nullopt;
  if (name.starts_with("avx.maskload.") || name.starts_with("avx2.maskload."))
    return Shape{Shape::Masked, Kind::Read, 0, 1};
  if (name.starts_with("avx.maskstore.") || name.starts_with("avx2.maskstore."))
    return Shape{Shape::Masked, Kind::Write, 0, 1, 2};
  if (name.starts_with("avx2.gather."))
    return Shape{Shape::Gathered, Kind::Read, 1, 3};
  if (name.starts_with("sse3.ldu.") || name.starts_with("avx.ldu."))
    return Shape{Shape::Whole, Kind::Read, 0, 0};
  return std::nullopt;
}

/// The mask as bits: in the intrinsics of a processor the sign of a lane says it.
Value *bitsOf(IRBuilder<> &builder, Value *mask) {
  auto *type = cast<VectorType>(mask->getType());
  if (type->getElementType()->isIntegerTy(1))
    return mask;
  Type *integers = VectorType::getInteger(type);
  return builder.CreateICmpSLT(builder.CreateBitCast(mask, integers), Constant::getNullValue(integers));
}

} // namespace

bool accessesLanes(const Instruction &instruction) {
  auto *call = dyn_cast<IntrinsicInst>(&instruction);
  return call && shapeOf(*call);
}

void visitLanes(IntrinsicInst &call, function_ref<void(Value *, Value *, Kind)> visit) {
  auto shape = shapeOf(call);
  Type *accessed = shape->kind == Kind::Read ? call.getType() : call.getArgOperand(shape->value)->getType();
  auto *lanes = dyn_cast<FixedVectorType>(accessed);
  if (!lanes)
    return;
  IRBuilder<> builder(&call);
  const DataLayout &layout = call.getModule()->getDataLayout();
  uint64_t size = layout.getTypeStoreSize(lanes->getElementType()).getFixedValue();
  Value *address = call.getArgOperand(shape->address), *none = builder.getInt64(0);
  if (shape->form == Shape::Whole)
    return visit(address, builder.getInt64(size * lanes->getNumElements()), shape->kind);
  Value *mask = bitsOf(builder, call.getArgOperand(shape->mask));
  if (shape->form == Shape::Packed) {
    Value *bits = builder.CreateBitCast(mask, builder.getIntNTy(lanes->getNumElements()));
    Value *count = builder.CreateZExtOrTrunc(builder.CreateUnaryIntrinsic(Intrinsic::ctpop, bits), builder.getInt64Ty());
    return visit(address, builder.CreateMul(count, builder.getInt64(size)), shape->kind);
  }
  unsigned count = lanes->getNumElements();
  Value *indices = shape->form == Shape::Gathered ? call.getArgOperand(2) : nullptr;
  if (indices)
    count = std::min(count, cast<FixedVectorType>(indices->getType())->getNumElements());
  for (unsigned lane = 0; lane < count; ++lane) {
    Value *bytes = builder.CreateSelect(builder.CreateExtractElement(mask, lane), builder.getInt64(size), none);
    if (bytes == none)
      continue;
    Value *at = address;
    if (shape->form == Shape::Spread) {
      at = builder.CreateExtractElement(address, lane);
    } else if (indices) {
      Value *index = builder.CreateSExt(builder.CreateExtractElement(indices, lane), builder.getInt64Ty());
      Value *scale = builder.CreateZExt(call.getArgOperand(4), builder.getInt64Ty());
      at = builder.CreateGEP(builder.getInt8Ty(), address, builder.CreateMul(index, scale));
    } else if (lane > 0) {
      at = builder.CreateConstGEP1_64(builder.getInt8Ty(), address, lane * size);
    }
    visit(at, bytes, shape->kind);
  }
}

} // namespace raceproof
