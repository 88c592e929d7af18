// The same-epoch test, inline.
//
// Most accesses in loops were made by the same step before. The shadow cell says so: a read is done if the step is the writer or the last reader, a write if it
// is the writer and nobody has read since. The entry points of the runtime ask this first (`crates/native/src/abi/tsan/mod.rs`); here it is asked without a call. What the
// test relies on is defined there: where the cell of an address is (`shadow.rs`), and what numbers the running step's accesses have (`now.rs`).

#include "SameEpoch.h"

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/MDBuilder.h"

using namespace llvm;

namespace raceproof {

namespace {

/// A cell of eight bytes for each four: the writer in the lower half, the readers in the upper.
constexpr uint64_t Base = 0x100000000000, AddressMask = 0x3fffffffffc, CellSize = 8;

/// Where the first access of the running step stands, and so many bytes behind it its first set of readers and whether all pairs are looked for.
constexpr StringRef Now = "__raceproof_now";
constexpr uint64_t FirstSet = 16, Watching = 20, Size = 24;

/// One test after the other, each in a block of its own: the first that fails leads to the call.
class Test {
  CallInst *call;
  BasicBlock *calls, *rest;
  IRBuilder<> builder;
  MDNode *none, *seldom;

public:
  explicit Test(CallInst *call)
      : call(call), calls(BasicBlock::Create(call->getContext(), "raceproof.call", call->getFunction())), rest(nullptr),
        builder(call), none(MDNode::get(call->getContext(), {})),
        seldom(MDBuilder(call->getContext()).createBranchWeights(1, 100)) {}

  void ofSameEpoch(Kind kind, uint64_t size) {
    begin();
    Value *word = builder.CreatePtrToInt(call->getArgOperand(0), builder.getInt64Ty());
    Value *offset = builder.CreateShl(builder.CreateAnd(word, AddressMask), 1);
    Value *at = builder.CreateIntToPtr(builder.CreateAdd(offset, builder.getInt64(Base)), builder.getPtrTy());
    Value *cell = load(builder.getInt64Ty(), at, 0);
    for (uint64_t next = 4; next < size; next += 4)
      callIf(builder.CreateICmpNE(cell, load(builder.getInt64Ty(), at, 2 * next)));
    if (kind == Kind::Read)
      testRead(cell);
    else
      testWrite(cell);
    end();
  }

  void ofWatching() {
    begin();
    builder.CreateCondBr(builder.CreateIsNotNull(now(Watching)), calls, rest, seldom);
    end();
  }

private:
  void begin() {
    BasicBlock *before = call->getParent();
    rest = before->splitBasicBlock(call->getIterator(), "raceproof.checked");
    calls->moveAfter(before);
    before->getTerminator()->eraseFromParent();
    builder.SetInsertPoint(before);
    builder.SetCurrentDebugLocation(call->getDebugLoc());
  }

  void end() {
    builder.SetInsertPoint(calls);
    call->moveBefore(builder.CreateBr(rest));
  }

  /// Memory of the runtime's.
  Value *load(Type *type, Value *base, uint64_t offset) {
    Value *at = offset ? builder.CreateConstInBoundsGEP1_64(builder.getInt8Ty(), base, offset) : base;
    LoadInst *load = builder.CreateAlignedLoad(type, at, Align(type->isIntegerTy(64) ? CellSize : 4));
    load->setMetadata(LLVMContext::MD_nosanitize, none);
    return load;
  }

  Value *now(uint64_t offset) {
    return load(builder.getInt32Ty(), call->getModule()->getOrInsertGlobal(Now, ArrayType::get(builder.getInt8Ty(), Size)), offset);
  }

  BasicBlock *newBlock() {
    return BasicBlock::Create(call->getContext(), "raceproof.test", call->getFunction(), calls);
  }

  void callIf(Value *condition) {
    BasicBlock *next = newBlock();
    builder.CreateCondBr(condition, calls, next, seldom);
    builder.SetInsertPoint(next);
  }

  void testRead(Value *cell) {
    Value *writer = builder.CreateTrunc(cell, builder.getInt32Ty());
    Value *readers = builder.CreateTrunc(builder.CreateLShr(cell, 32), builder.getInt32Ty());
    // Without a branch on which of the two it is: in the loops of a sort nobody can predict that.
    Value *latest = builder.CreateBinaryIntrinsic(Intrinsic::smax, writer, readers);
    BasicBlock *sets = newBlock();
    builder.CreateCondBr(builder.CreateICmpSLT(latest, now(0)), sets, rest, seldom);
    builder.SetInsertPoint(sets);
    builder.CreateCondBr(builder.CreateICmpULT(readers, now(FirstSet)), calls, rest, seldom);
  }

  void testWrite(Value *cell) {
    callIf(builder.CreateICmpSLT(builder.CreateTrunc(cell, builder.getInt32Ty()), now(0)));
    builder.CreateCondBr(builder.CreateICmpNE(builder.CreateLShr(cell, 32), builder.getInt64(0)), calls, rest, seldom);
  }
};

} // namespace

void testSameEpoch(CallInst *call, Kind kind, uint64_t size) { Test(call).ofSameEpoch(kind, size); }

void testWatching(ArrayRef<CallInst *> calls) {
  Test(calls.back()).ofWatching();
  for (CallInst *call : calls.drop_back())
    call->moveBefore(calls.back());
}

} // namespace raceproof
