// Lanes: iterations of a simd loop that may be executed in one vector.
//
// `#pragma omp simd` lets iterations be executed at the same time, as far apart as `safelen` allows, and two that conflict are a race, though one task makes
// both. clang leaves what the directive said in the loop's metadata: that it may be vectorised, and either that its accesses are parallel or, with
// `safelen` or `simdlen`, how wide a vector may be. The runtime is told where such a loop begins, its next iteration and its end, and of the accesses that the
// loop itself makes, unless none of them writes. What a lane has of its own is left out: variables that are declared in the loop, and the copies that clang
// makes of private, linear and reduction variables, which its debug information calls artificial. Calls are not looked into.
//
// If all accesses of the loop are at fixed distances in every iteration, they are told of once, before it: then nothing stands in its way to be vectorised.

#include "Lanes.h"
#include "Access.h"

#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/DebugInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/Transforms/Utils/LoopSimplify.h"
#include "llvm/Transforms/Utils/PromoteMemToReg.h"
#include "llvm/Transforms/Utils/ScalarEvolutionExpander.h"

using namespace llvm;

namespace raceproof {

namespace {

constexpr StringRef Begin = "raceproof.lanes.begin", Next = "raceproof.lanes.next", End = "raceproof.lanes.end";
constexpr StringRef Read = "raceproof.lane.read", Write = "raceproof.lane.write";

/// The local variables by their memory: clang declares them, or has their assignments followed.
DenseMap<const Value *, const DILocalVariable *> declaredIn(Function &function) {
  DenseMap<const Value *, const DILocalVariable *> declared;
  for (Instruction &instruction : instructions(function)) {
    if (auto *declaration = dyn_cast<DbgDeclareInst>(&instruction))
      declared[declaration->getAddress()] = declaration->getVariable();
    else if (auto *assignment = dyn_cast<DbgAssignIntrinsic>(&instruction))
      declared[assignment->getAddress()] = assignment->getVariable();
#if LLVM_VERSION_MAJOR >= 19
    for (DbgVariableRecord &record : filterDbgVars(instruction.getDbgRecordRange()))
      if (record.isDbgDeclare() || record.isDbgAssign())
        declared[record.getAddress()] = record.getVariable();
#endif
  }
  return declared;
}

/// Whether a variable is declared in a scope, or in one inside of it.
bool isIn(const DILocalVariable &variable, const DILocalScope *scope) {
  for (const DIScope *at = variable.getScope(); at; at = at->getScope())
    if (at == scope)
      return true;
  return false;
}

/// How far apart two iterations may be that are executed at the same time: 0 if none are, the greatest number if all may be.
uint64_t widthOf(const Loop &loop) {
  MDNode *id = loop.getLoopID();
  if (!id)
    return 0;
  bool isEnabled = false, isParallel = false;
  uint64_t width = 0;
  for (const MDOperand &operand : drop_begin(id->operands())) {
    auto *property = dyn_cast<MDNode>(operand);
    auto *name = property && property->getNumOperands() ? dyn_cast<MDString>(property->getOperand(0)) : nullptr;
    if (!name)
      continue;
    auto value = [&] {
      auto *constant = property->getNumOperands() > 1 ? mdconst::dyn_extract<ConstantInt>(property->getOperand(1)) : nullptr;
      return constant ? constant->getZExtValue() : 0;
    };
    if (name->getString() == "llvm.loop.vectorize.enable")
      isEnabled = value() != 0;
    else if (name->getString() == "llvm.loop.parallel_accesses")
      isParallel = true;
    else if (name->getString() == "llvm.loop.vectorize.width")
      width = value();
  }
  if (!isEnabled)
    return 0;
  return isParallel ? UINT64_MAX : width;
}

class Lanes {
  Function &function;
  LoopInfo &loops;
  DenseMap<const Value *, const DILocalVariable *> declared;

public:
  Lanes(Function &function, LoopInfo &loops) : function(function), loops(loops), declared(declaredIn(function)) {}

  bool run() {
    bool marked = false;
    for (Loop *loop : loops.getLoopsInPreorder())
      marked |= mark(*loop);
    return marked;
  }

private:
  struct Accessed {
    Instruction *instruction;
    Value *address;
    uint64_t size;
    bool writes;
  };

  /// The scope of the directive that clang has made the loop of: it counts by a variable that no program declares.
  const DILocalScope *directiveOf(const Loop &loop) {
    for (Instruction &instruction : *loop.getHeader())
      if (auto *load = dyn_cast<LoadInst>(&instruction))
        if (auto *variable = declared.lookup(load->getPointerOperand()); variable && variable->getName() == ".omp.iv")
          return variable->getScope();
    return nullptr;
  }

  /// Whether lanes share the memory that an address is in, as far as is known.
  bool isShared(const Value *address, const DILocalScope *directive) {
    const Value *object = getUnderlyingObject(address, 0);
    if (auto *global = dyn_cast<GlobalVariable>(object))
      return !global->isConstant() && !global->isThreadLocal();
    if (!isa<AllocaInst>(object))
      return true;
    const DILocalVariable *variable = declared.lookup(object);
    return variable && !variable->isArtificial() && !isIn(*variable, directive);
  }

  bool mark(Loop &loop) {
    uint64_t width = widthOf(loop);
    BasicBlock *before = loop.getLoopPredecessor();
    const DILocalScope *directive = directiveOf(loop);
    if (width < 2 || !before || !directive)
      return false;
    const DataLayout &layout = function.getParent()->getDataLayout();
    SmallVector<Accessed> accesses;
    auto note = [&](Instruction &instruction, Value *address, Type *type, bool writes) {
      TypeSize size = layout.getTypeStoreSize(type);
      if (!size.isScalable() && !size.isZero() && isShared(address, directive))
        accesses.push_back({&instruction, address, size.getFixedValue(), writes});
    };
    for (BasicBlock *block : loop.blocks())
      for (Instruction &instruction : *block) {
        if (auto *load = dyn_cast<LoadInst>(&instruction); load && load->isSimple())
          note(*load, load->getPointerOperand(), load->getType(), false);
        else if (auto *store = dyn_cast<StoreInst>(&instruction); store && store->isSimple())
          note(*store, store->getPointerOperand(), store->getValueOperand()->getType(), true);
      }
    // A variable that nobody but this function accesses, and that the loop does not write, has no conflicts.
    auto isOnlyRead = [&](const Accessed &access) {
      auto *variable = dyn_cast<AllocaInst>(access.address);
      return variable && isAllocaPromotable(variable) &&
             none_of(accesses, [&](const Accessed &other) { return other.writes && other.address == variable; });
    };
    erase_if(accesses, isOnlyRead);
    SmallVector<BasicBlock *> exits;
    loop.getUniqueExitBlocks(exits);
    bool isClosed = all_of(exits, [&](BasicBlock *exit) {
      return all_of(predecessors(exit), [&](BasicBlock *from) { return loop.contains(from); });
    });
    // An iteration begins in the block that the header goes on to.
    auto inside = [&](BasicBlock *block) { return loop.contains(block) && block != loop.getHeader(); };
    SmallVector<BasicBlock *> bodies(make_filter_range(successors(loop.getHeader()), inside));
    if (!isClosed || bodies.size() != 1)
      return false;
    // Without a write it is only told that there was such a loop.
    bool hasWrite = any_of(accesses, [](const Accessed &access) { return access.writes; });
    DebugLoc location = loop.getStartLoc();
    Type *word = Type::getInt64Ty(function.getContext());
    markOther(before->getTerminator(), Begin, {ConstantInt::get(word, width)}, location);
    for (BasicBlock *exit : exits)
      markOther(&*exit->getFirstInsertionPt(), End, {}, location);
    if (!hasWrite)
      return true;
    markOther(&*bodies[0]->getFirstInsertionPt(), Next, {}, location);
    for (const Accessed &access : accesses)
      markOther(access.instruction, access.writes ? Write : Read, {access.address, ConstantInt::get(word, access.size)},
           access.instruction->getDebugLoc());
    return true;
  }
};

StringRef calledBy(const Instruction &instruction) {
  auto *call = dyn_cast<CallInst>(&instruction);
  Function *callee = call ? call->getCalledFunction() : nullptr;
  return callee ? callee->getName() : StringRef();
}

/// Hoists the accesses of one loop, if that can be done with all of them.
bool hoist(Loop &loop, ScalarEvolution &evolution, DominatorTree &dominators) {
  SmallVector<CallInst *> nexts, accesses;
  for (BasicBlock *block : loop.blocks())
    for (Instruction &instruction : *block) {
      StringRef name = calledBy(instruction);
      if (name == Begin || name == End)
        return false;
      if (name == Next)
        nexts.push_back(cast<CallInst>(&instruction));
      else if (name == Read || name == Write)
        accesses.push_back(cast<CallInst>(&instruction));
    }
  BasicBlock *latch = loop.getLoopLatch(), *before = loop.getLoopPreheader(), *exiting = loop.getExitingBlock();
  if (nexts.size() != 1 || !latch || !before || !exiting)
    return false;
  const SCEV *taken = evolution.getBackedgeTakenCount(&loop);
  Type *word = Type::getInt64Ty(latch->getContext());
  if (isa<SCEVCouldNotCompute>(taken) || evolution.getTypeSizeInBits(taken->getType()) > 64)
    return false;
  SCEVExpander expander(evolution, latch->getModule()->getDataLayout(), "lanes");
  taken = evolution.getNoopOrZeroExtend(taken, word);
  struct Run {
    CallInst *call;
    const SCEV *start, *step, *count;
  };
  SmallVector<Run> runs;
  for (CallInst *access : accesses) {
    // What comes after the only exit is made once less than what comes before it.
    bool isFirst = dominators.dominates(access->getParent(), exiting);
    if (!isFirst && !(dominators.dominates(exiting, access->getParent()) && dominators.dominates(access->getParent(), latch)))
      return false;
    const SCEV *address = evolution.getSCEV(access->getArgOperand(0));
    const SCEV *start = address, *step = evolution.getZero(word);
    if (auto *moving = dyn_cast<SCEVAddRecExpr>(address); moving && moving->getLoop() == &loop && moving->isAffine()) {
      start = moving->getStart();
      step = evolution.getTruncateOrSignExtend(moving->getStepRecurrence(evolution), word);
    } else if (!evolution.isLoopInvariant(address, &loop)) {
      return false;
    }
    const SCEV *count = isFirst ? evolution.getAddExpr(taken, evolution.getOne(word)) : taken;
    for (const SCEV *part : {start, step, count})
      if (!expander.isSafeToExpandAt(part, before->getTerminator()))
        return false;
    runs.push_back({access, start, step, count});
  }
  for (const Run &run : runs) {
    auto value = [&](const SCEV *part, Type *type) { return expander.expandCodeFor(part, type, before->getTerminator()); };
    Value *start = value(run.start, run.call->getArgOperand(0)->getType());
    Value *step = value(run.step, word), *count = value(run.count, word);
    std::string name = (calledBy(*run.call) + ".run").str();
    markOther(before->getTerminator(), name, {start, run.call->getArgOperand(1), count, step}, run.call->getDebugLoc());
    run.call->eraseFromParent();
  }
  nexts[0]->eraseFromParent();
  return true;
}

} // namespace

PreservedAnalyses MarkLanes::run(Function &function, FunctionAnalysisManager &analyses) {
  bool isSeen = function.hasFnAttribute(Attribute::SanitizeThread) && !function.hasFnAttribute(Attribute::DisableSanitizerInstrumentation);
  if (!isSeen || !Lanes(function, analyses.getResult<LoopAnalysis>(function)).run())
    return PreservedAnalyses::all();
  PreservedAnalyses preserved;
  preserved.preserveSet<CFGAnalyses>();
  return preserved;
}

PreservedAnalyses HoistLanes::run(Function &function, FunctionAnalysisManager &analyses) {
  if (none_of(instructions(function), [](const Instruction &instruction) { return calledBy(instruction) == Next; }))
    return PreservedAnalyses::all();
  analyses.invalidate(function, LoopSimplifyPass().run(function, analyses));
  auto &evolution = analyses.getResult<ScalarEvolutionAnalysis>(function);
  auto &dominators = analyses.getResult<DominatorTreeAnalysis>(function);
  for (Loop *loop : analyses.getResult<LoopAnalysis>(function).getLoopsInPreorder())
    hoist(*loop, evolution, dominators);
  return PreservedAnalyses::none();
}

} // namespace raceproof
