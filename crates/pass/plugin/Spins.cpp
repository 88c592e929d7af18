// Busy-waiting: loops that wait for another thread by looking at atomic variables again and again.
//
// `verify` decides programs with such loops if it knows when an iteration was for nothing: it read what the one before had read, and changed nothing, so that
// the task may as well wait until one of the variables changes (`crates/native/src/tasks/busy.rs`). A loop that merely may count its tries must not be taken for
// one of these: the search would miss that it gives up. So a mark stands only at the end of an iteration of which nothing is left:
//
// - no value is carried from one iteration to the next: the header has no PHI;
// - nothing is written and nobody is called, but for a yield, which changes nothing that the program can see, and fences, of which the second adds nothing;
// - nothing is read but atomic variables, by loads or by read-modify-writes. The runtime sees each of them, and whether it has changed the value.
//
// Other loops that wait (with a limit on the tries, under a mutex, by plain accesses) have no mark, and leave a search inconclusive.
#include "Spins.h"

#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InlineAsm.h"
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

/// Whether a call has no effect that the program can see.
bool isIdle(const CallBase &call) {
  if (auto *intrinsic = dyn_cast<IntrinsicInst>(&call))
    return isa<DbgInfoIntrinsic>(intrinsic) || intrinsic->isAssumeLikeIntrinsic() || intrinsic->getCalledFunction()->getName() == "llvm.x86.sse2.pause" ||
           intrinsic->doesNotAccessMemory();
  if (auto *assembly = dyn_cast<InlineAsm>(call.getCalledOperand()))
    return isPause(*assembly);
  const Function *callee = call.getCalledFunction();
  if (!callee || !callee->isDeclaration() || isa<InvokeInst>(call))
    return false;
  StringRef name = callee->getName();
  return name == "sched_yield" || name == "pthread_yield" || name == "thrd_yield" || name == "__kmpc_flush";
}

/// Whether an iteration does nothing but look at atomic variables.
bool onlyLooks(const Loop &loop) {
  if (!loop.isInnermost() || !loop.getLoopLatch() || isa<PHINode>(loop.getHeader()->front()))
    return false;
  bool looks = false;
  for (const BasicBlock *block : loop.blocks())
    for (const Instruction &instruction : *block) {
      auto *load = dyn_cast<LoadInst>(&instruction);
      if ((load && load->isAtomic()) || isa<AtomicRMWInst>(instruction) || isa<AtomicCmpXchgInst>(instruction)) {
        looks = true;
        continue;
      }
      if (isa<FenceInst>(instruction))
        continue;
      if (auto *call = dyn_cast<CallBase>(&instruction)) {
        if (!isIdle(*call))
          return false;
        continue;
      }
      if (instruction.mayReadOrWriteMemory() || instruction.mayHaveSideEffects() || (instruction.isTerminator() && !isa<BranchInst, SwitchInst>(instruction)))
        return false;
    }
  return looks;
}

} // namespace

PreservedAnalyses MarkSpins::run(Function &function, FunctionAnalysisManager &analyses) {
  if (function.hasFnAttribute(Attribute::DisableSanitizerInstrumentation))
    return PreservedAnalyses::all();
  auto &loops = analyses.getResult<LoopAnalysis>(function);
  SmallVector<const Loop *> found;
  for (const Loop *loop : loops.getLoopsInPreorder())
    if (onlyLooks(*loop))
      found.push_back(loop);
  if (found.empty())
    return PreservedAnalyses::all();
  SmallVector<std::pair<BasicBlock *, BasicBlock *>> edges;
  for (const Loop *loop : found)
    edges.emplace_back(loop->getLoopLatch(), loop->getHeader());
  FunctionCallee mark =
      function.getParent()->getOrInsertFunction("__raceproof_looked", FunctionType::get(Type::getVoidTy(function.getContext()), false));
  if (auto *declared = dyn_cast<Function>(mark.getCallee()))
    declared->addFnAttr(Attribute::NoUnwind);
  for (auto [latch, header] : edges) {
    DebugLoc location = latch->getTerminator()->getDebugLoc();
    BasicBlock *edge = SplitEdge(latch, header);
    CallInst *call = IRBuilder<>(edge->getTerminator()).CreateCall(mark);
    call->setDebugLoc(location);
    call->setCannotMerge();
  }
  return PreservedAnalyses::none();
}

} // namespace raceproof
