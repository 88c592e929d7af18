// Busy-waiting: loops that wait for another thread by looking at variables again and again.
//
// `verify` decides programs with such loops if it knows when an iteration was for nothing: it began as the one before, read what that had read, and changed
// nothing, so that the task may as well wait until one of the variables changes (`crates/native/src/tasks/busy.rs`). A loop that counts its tries must not be
// taken for one of these: the search would miss that it gives up. So the runtime is told at the end of each iteration what that leaves to the next one: the
// values that the header's PHIs get, and the contents of the local variables that the loop writes. And a loop is marked only if the runtime sees all else
// that an iteration does:
//
// - atomic operations, and accesses of memory that is not the function's own, which have markers;
// - calls that lock and release, or try to, that yield or sleep, and of functions defined here that do no more than this;
// - nothing else that could have an effect.
//
// A loop that evidently counts (a PHI that grows by a constant) never begins an iteration as the one before, and has no mark.
#include "Spins.h"
#include "Access.h"
#include "Library.h"

#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"

using namespace llvm;

namespace raceproof {

namespace {

/// Whether inline assembly only tells the processor that the loop waits.
bool isPause(const InlineAsm &assembly) {
  StringRef text = StringRef(assembly.getAsmString()).trim();
  return text.empty() || text == "pause" || text == "nop" || text == "rep; nop" || text == "rep;nop" || text == "rep nop";
}

/// Functions whose effects the runtime knows: they lock and release, or let others run.
bool isKnown(StringRef name) {
  static const char *const Known[] = {"sched_yield",          "pthread_yield",           "thrd_yield",           "__kmpc_flush",       "usleep",
                                      "nanosleep",            "clock_nanosleep",         "sleep",                "thrd_sleep",         "__errno_location",
                                      "pthread_mutex_lock",   "pthread_mutex_unlock",    "pthread_mutex_trylock", "mtx_lock",          "mtx_unlock",
                                      "mtx_trylock",          "pthread_spin_lock",       "pthread_spin_unlock",  "pthread_spin_trylock", "__kmpc_critical",
                                      "__kmpc_end_critical",  "__kmpc_global_thread_num", "omp_set_lock",        "omp_unset_lock",     "omp_test_lock"};
  return is_contained(Known, name);
}

/// What functions that are defined here do, once it is known.
class Quiet {
  SmallPtrSet<const Function *, 16> known, underWay;

public:
  /// Whether all effects of an instruction are seen, or are on local variables; `looks` if it may look at what others change.
  bool operator()(const Instruction &instruction, const SmallPtrSetImpl<const Value *> &written, bool &looks) {
    if (isa<AtomicRMWInst, AtomicCmpXchgInst>(instruction) || (isa<LoadInst, StoreInst>(instruction) && instruction.isAtomic())) {
      looks = true;
      return true;
    }
    if (isa<FenceInst, LoadInst, AllocaInst>(instruction))
      return true;
    if (auto *store = dyn_cast<StoreInst>(&instruction))
      return isSeen(store->getPointerOperand(), written);
    if (auto *call = dyn_cast<CallBase>(&instruction))
      return calls(*call, written, looks);
    if (instruction.isTerminator())
      return isa<BranchInst, SwitchInst, ReturnInst, UnreachableInst, ResumeInst>(instruction);
    return isa<LandingPadInst>(instruction) || (!instruction.mayReadOrWriteMemory() && !instruction.mayHaveSideEffects());
  }

private:
  static bool isSeen(const Value *address, const SmallPtrSetImpl<const Value *> &written) {
    return isa<AllocaInst>(getUnderlyingObject(address, 0)) || written.contains(address);
  }

  bool calls(const CallBase &call, const SmallPtrSetImpl<const Value *> &written, bool &looks) {
    if (isMarker(call))
      return true;
    if (auto *intrinsic = dyn_cast<IntrinsicInst>(&call)) {
      if (auto *copy = dyn_cast<MemIntrinsic>(intrinsic))
        return isSeen(copy->getRawDest(), written);
      return isa<DbgInfoIntrinsic>(intrinsic) || intrinsic->isAssumeLikeIntrinsic() || intrinsic->isLifetimeStartOrEnd() ||
             intrinsic->getCalledFunction()->getName() == "llvm.x86.sse2.pause" || intrinsic->doesNotAccessMemory();
    }
    if (auto *assembly = dyn_cast<InlineAsm>(call.getCalledOperand()))
      return isPause(*assembly);
    // Who does not return leaves the loop.
    if (call.doesNotReturn())
      return true;
    const Function *callee = libraryFunctionOf(call);
    if (!callee)
      callee = call.getCalledFunction();
    if (!callee)
      return false;
    if (callee->isDeclaration())
      return isKnown(callee->getName()) && (looks = true);
    return isQuiet(*callee, looks);
  }

  /// Whether a function does nothing else. One that calls itself does as much as the rest of it.
  bool isQuiet(const Function &function, bool &looks) {
    if (function.isInterposable() || function.hasFnAttribute(Attribute::DisableSanitizerInstrumentation))
      return false;
    if (known.contains(&function)) {
      looks = true;
      return true;
    }
    if (!underWay.insert(&function).second)
      return true;
    SmallPtrSet<const Value *, 8> written = writtenIn(function);
    bool isSo = all_of(instructions(function), [&](const Instruction &instruction) { return (*this)(instruction, written, looks); });
    underWay.erase(&function);
    if (isSo)
      known.insert(&function);
    return isSo;
  }

public:
  /// The addresses that markers of writes have.
  template <typename Blocks> static SmallPtrSet<const Value *, 8> writtenIn(const Blocks &blocks) {
    SmallPtrSet<const Value *, 8> written;
    for (const auto &block : blocks)
      for (const Instruction &instruction : dereference(block))
        if (auto access = accessOf(instruction); access && access->kind == Kind::Write)
          written.insert(access->address());
    return written;
  }

private:
  static const BasicBlock &dereference(const BasicBlock &block) { return block; }
  static const BasicBlock &dereference(const BasicBlock *block) { return *block; }
};

/// A value that an iteration leaves to the next one, as a number; null if it cannot be one.
bool isNumber(Type *type) { return type->isPointerTy() || type->isFloatTy() || type->isDoubleTy() || (type->isIntegerTy() && type->getIntegerBitWidth() <= 64); }

/// Whether a PHI grows by a constant each time.
bool counts(const PHINode &phi, const BasicBlock *latch) {
  auto *next = dyn_cast<BinaryOperator>(phi.getIncomingValueForBlock(latch));
  return next && (next->getOpcode() == Instruction::Add || next->getOpcode() == Instruction::Sub) && next->getOperand(0) == &phi &&
         isa<ConstantInt>(next->getOperand(1));
}

bool waitsByLooking(const Loop &loop, Quiet &quiet) {
  SmallVector<BasicBlock *> latches;
  loop.getLoopLatches(latches);
  for (const PHINode &phi : loop.getHeader()->phis())
    if (!isNumber(phi.getType()) || any_of(latches, [&](const BasicBlock *latch) { return counts(phi, latch); }))
      return false;
  SmallPtrSet<const Value *, 8> written = Quiet::writtenIn(loop.blocks());
  bool looks = false;
  for (const BasicBlock *block : loop.blocks())
    for (const Instruction &instruction : *block)
      if (isa<LandingPadInst>(instruction) || !quiet(instruction, written, looks))
        return false;
  return looks && all_of(latches, [](const BasicBlock *latch) { return isa<BranchInst, SwitchInst>(latch->getTerminator()); });
}

/// The local variables that a loop writes.
SmallVector<AllocaInst *> writtenLocals(const Loop &loop) {
  SmallSetVector<AllocaInst *, 8> locals;
  auto note = [&](Value *address) {
    if (auto *local = dyn_cast<AllocaInst>(getUnderlyingObject(address, 0)); local && local->isStaticAlloca())
      locals.insert(local);
  };
  for (BasicBlock *block : loop.blocks())
    for (Instruction &instruction : *block)
      if (auto *store = dyn_cast<StoreInst>(&instruction))
        note(store->getPointerOperand());
      else if (auto *copy = dyn_cast<MemIntrinsic>(&instruction))
        note(copy->getRawDest());
  return locals.takeVector();
}

class Marks {
  Function &function;
  Module &module;
  Type *number, *pointer;

public:
  explicit Marks(Function &function)
      : function(function), module(*function.getParent()), number(Type::getInt64Ty(function.getContext())),
        pointer(PointerType::getUnqual(function.getContext())) {}

  void mark(const Loop &loop, unsigned index) {
    BasicBlock *header = loop.getHeader();
    SmallVector<BasicBlock *> entries, latches;
    loop.getLoopLatches(latches);
    for (BasicBlock *before : predecessors(header))
      if (!loop.contains(before) && !is_contained(entries, before))
        entries.push_back(before);
    SmallVector<AllocaInst *> locals = writtenLocals(loop);
    Value *name[] = {&function, ConstantInt::get(number, index)};
    for (BasicBlock *entry : entries) {
      if (!isa<BranchInst, SwitchInst>(entry->getTerminator()))
        continue;
      DebugLoc location = entry->getTerminator()->getDebugLoc();
      IRBuilder<> builder(SplitEdge(entry, header)->getTerminator());
      call(builder, "__raceproof_looks", {pointer, number}, name, location);
    }
    for (BasicBlock *latch : latches) {
      DebugLoc location = latch->getTerminator()->getDebugLoc();
      SmallVector<Value *> values;
      for (PHINode &phi : header->phis())
        values.push_back(phi.getIncomingValueForBlock(latch));
      IRBuilder<> builder(SplitEdge(latch, header)->getTerminator());
      for (Value *value : values)
        call(builder, "__raceproof_look_value", {number}, {asNumber(builder, value)}, location);
      for (AllocaInst *local : locals)
        if (auto size = local->getAllocationSize(module.getDataLayout()); size && !size->isScalable())
          call(builder, "__raceproof_look_at", {pointer, number}, {local, ConstantInt::get(number, size->getFixedValue())}, location);
      Value *has = ConstantInt::get(number, !values.empty() || !locals.empty());
      call(builder, "__raceproof_looked", {pointer, number, number}, {name[0], name[1], has}, location);
    }
  }

private:
  Value *asNumber(IRBuilder<> &builder, Value *value) {
    if (value->getType()->isPointerTy())
      return builder.CreatePtrToInt(value, number);
    if (value->getType()->isFloatingPointTy())
      value = builder.CreateBitCast(value, value->getType()->isFloatTy() ? builder.getInt32Ty() : builder.getInt64Ty());
    return builder.CreateZExt(value, number);
  }

  void call(IRBuilder<> &builder, StringRef name, ArrayRef<Type *> types, ArrayRef<Value *> arguments, DebugLoc location) {
    FunctionCallee callee = module.getOrInsertFunction(name, FunctionType::get(builder.getVoidTy(), types, false));
    if (auto *declared = dyn_cast<Function>(callee.getCallee()))
      declared->addFnAttr(Attribute::NoUnwind);
    CallInst *made = builder.CreateCall(callee, arguments);
    made->setDebugLoc(location);
    made->setCannotMerge();
  }
};

} // namespace

PreservedAnalyses MarkSpins::run(Function &function, FunctionAnalysisManager &analyses) {
  if (function.hasFnAttribute(Attribute::DisableSanitizerInstrumentation))
    return PreservedAnalyses::all();
  auto &loops = analyses.getResult<LoopAnalysis>(function);
  SmallVector<const Loop *> found;
  Quiet quiet;
  for (const Loop *loop : loops.getLoopsInPreorder())
    if (waitsByLooking(*loop, quiet))
      found.push_back(loop);
  if (found.empty())
    return PreservedAnalyses::all();
  // Inner loops first: a split edge may be one of the loop around it.
  for (auto [index, loop] : enumerate(reverse(found)))
    Marks(function).mark(*loop, index);
  return PreservedAnalyses::none();
}

} // namespace raceproof
