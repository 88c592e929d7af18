// Hoisted and sunk range checks.
//
// A loop in which no step ends makes all of its accesses in one step, so that one range check can report them. Where the number of iterations is known
// when the loop begins, the check is hoisted before it; where it is not, it is sunk behind the loop, with a counter of the iterations there were. Only markers that
// every iteration makes move, at addresses that are a fixed number of bytes apart. Loops are taken from the inside out: the range of an inner loop
// becomes one of two dimensions in the outer.
//
// An inner loop is mostly entered if its bound is greater than zero, which is the same in every iteration of the outer: then every iteration makes the check, or
// none, and it is hoisted behind the same condition. Loads of the bounds stand behind it as well, where LLVM leaves them, and go before the loop with it.
//
// A worksharing loop, which a mark of its iterations tells, makes its accesses in many iterations (Iterations.cpp). A range that leaves it is one by iterations: it
// has an element for each, also at an address that stays, and the number of the first. Such a range moves no further, and one of two dimensions stays in the loop.

#include "Ranges.h"
#include "Access.h"
#include "Iterations.h"

#include "llvm/ADT/PostOrderIterator.h"
#include "llvm/Analysis/AliasAnalysis.h"
#include "llvm/Analysis/DomTreeUpdater.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Operator.h"
#include "llvm/Support/KnownBits.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/ScalarEvolutionExpander.h"

using namespace llvm;

namespace raceproof {

namespace {

/// How often the marker is made in a loop that is entered.
enum class Times { Unknown, EveryIteration, AllButLast };

/// A branch that goes the same way in every iteration, and on which it depends whether a block is run.
struct Guard {
  BasicBlock *from, *to;
  Value *condition;
  bool isNegated;
};

class Ranges {
  Loop &loop;
  const Steps &steps;
  ScalarEvolution &evolution;
  DominatorTree &dominators;
  LoopInfo &loops;
  AAResults &aliases;
  const DataLayout &layout;
  Type *word;
  SmallVector<BasicBlock *> exiting;
  /// Of a worksharing loop: the mark of its iterations, and the number of the first.
  CallInst *iteration = nullptr;
  const SCEV *firstIteration = nullptr;
  /// Iterations that came to an end, in the iteration under way.
  PHINode *counter = nullptr;
  /// What is behind the condition of a guard, before the loop, by the block that it leads to.
  SmallDenseMap<BasicBlock *, Instruction *> guarded;
  SmallPtrSet<BasicBlock *, 4> withoutLoads;

public:
  Ranges(Loop &loop, const Steps &steps, ScalarEvolution &evolution, DominatorTree &dominators, LoopInfo &loops, AAResults &aliases)
      : loop(loop), steps(steps), evolution(evolution), dominators(dominators), loops(loops), aliases(aliases),
        layout(loop.getHeader()->getModule()->getDataLayout()), word(Type::getInt64Ty(loop.getHeader()->getContext())) {}

  bool run() {
    if (!loop.isLoopSimplifyForm())
      return false;
    SmallVector<Access> inside;
    for (BasicBlock *block : loop.blocks())
      for (Instruction &instruction : *block) {
        if (isIteration(instruction) && !iteration && loops.getLoopFor(block) == &loop) {
          iteration = cast<CallInst>(&instruction);
          continue;
        }
        auto access = accessOf(instruction);
        if (!access)
          access = accessForPairs(instruction);
        if (steps.end(instruction) || (access && access->isByIterations))
          return false;
        if (access)
          inside.push_back(*access);
      }
    if (iteration && !findFirstIteration())
      return false;
    loop.getExitingBlocks(exiting);
    bool moved = false;
    for (const Access &access : inside)
      if (move(access)) {
        access.call->eraseFromParent();
        moved = true;
      }
    return moved;
  }

private:
  bool move(const Access &access) {
    if (iteration && !dominators.dominates(iteration, access.call))
      return false;
    if (!isOnEveryIteration(access.call->getParent()))
      return hoistGuarded(access);
    return hoist(access) || sink(access) || (!iteration && sinkScan(access));
  }

  /// Whether the numbers of a worksharing loop's iterations follow each other. That they stay in the range of their type goes without saying: they are between
  /// bounds of it.
  bool findFirstIteration() {
    const SCEV *number = evolution.getSCEV(iteration->getArgOperand(0));
    auto *extended = isa<SCEVSignExtendExpr, SCEVZeroExtendExpr>(number) ? cast<SCEVCastExpr>(number) : nullptr;
    auto *recurrence = dyn_cast<SCEVAddRecExpr>(extended ? extended->getOperand() : number);
    if (!recurrence || recurrence->getLoop() != &loop || !recurrence->isAffine() || !recurrence->getStepRecurrence(evolution)->isOne())
      return false;
    firstIteration = recurrence->getStart();
    if (extended)
      firstIteration = isa<SCEVSignExtendExpr>(extended) ? evolution.getSignExtendExpr(firstIteration, word)
                                                         : evolution.getZeroExtendExpr(firstIteration, word);
    return true;
  }

  bool isOnEveryIteration(BasicBlock *block) { return dominators.dominates(block, loop.getLoopLatch()); }

  Times times(BasicBlock *block) {
    if (exiting.empty())
      return Times::Unknown;
    if (all_of(exiting, [&](BasicBlock *exit) { return dominators.dominates(block, exit); }))
      return Times::EveryIteration;
    if (exiting.size() == 1 && dominators.properlyDominates(exiting[0], block))
      return Times::AllButLast;
    return Times::Unknown;
  }

  /// The first address and the distance of the next, where both are known when the loop begins. An address that stays has none.
  std::optional<std::pair<const SCEV *, const SCEV *>> progress(Value *address) {
    const SCEV *value = evolution.getSCEV(address);
    if (evolution.isLoopInvariant(value, &loop))
      return std::pair{value, evolution.getZero(word)};
    auto *recurrence = dyn_cast<SCEVAddRecExpr>(value);
    if (!recurrence || recurrence->getLoop() != &loop || !recurrence->isAffine())
      return std::nullopt;
    return std::pair{recurrence->getStart(), recurrence->getStepRecurrence(evolution)};
  }

  /// Whether what else the marker says is the same in every iteration.
  bool isFixed(const Access &access) {
    return all_of(drop_begin(access.call->args()), [&](const Use &argument) {
      return !argument->getType()->isIntegerTy() ||
             evolution.isLoopInvariant(evolution.getSCEV(argument.get()), &loop);
    });
  }

  bool hoistGuarded(const Access &access) {
    auto guard = guardOf(access.call->getParent());
    if (!guard)
      return false;
    hoistLoads(*guard);
    return hoist(access, &*guard);
  }

  std::optional<Guard> guardOf(BasicBlock *block) {
    BasicBlock *to = block, *from = to->getSinglePredecessor();
    for (; from && loop.contains(from) && from->getUniqueSuccessor(); from = to->getSinglePredecessor())
      to = from;
    auto *branch = from && loop.contains(from) ? dyn_cast<BranchInst>(from->getTerminator()) : nullptr;
    if (!branch || !branch->isConditional() || loop.isLoopExiting(from) || !isOnEveryIteration(from) ||
        !loop.isLoopInvariant(branch->getCondition()))
      return std::nullopt;
    return Guard{from, to, branch->getCondition(), branch->getSuccessor(1) == to};
  }

  /// A block before the loop that is run if the guard is passed; its end. The branch may come to nothing in the loop, which then has to hold for this one.
  Instruction *behind(const Guard &guard) {
    Instruction *before = loop.getLoopPreheader()->getTerminator();
    IRBuilder<> builder(before);
    Value *condition = builder.CreateFreeze(guard.condition);
    if (guard.isNegated)
      condition = builder.CreateNot(condition);
    DomTreeUpdater updater(dominators, DomTreeUpdater::UpdateStrategy::Eager);
    return SplitBlockAndInsertIfThen(condition, before, false, nullptr, &updater, &loops);
  }

  /// Hoists the loads at the beginning of what is guarded, if the first iteration makes them and they give the same in every one.
  void hoistLoads(const Guard &guard) {
    if (guard.from != loop.getHeader() || !withoutLoads.insert(guard.to).second)
      return;
    auto goesOn = [](Instruction &instruction) { return isGuaranteedToTransferExecutionToSuccessor(&instruction); };
    if (!all_of(*guard.from, goesOn))
      return;
    SmallVector<LoadInst *> loads;
    Instruction *end = nullptr;
    for (Instruction &instruction : make_early_inc_range(*guard.to)) {
      if (!goesOn(instruction))
        break;
      auto *load = dyn_cast<LoadInst>(&instruction);
      if (!load || !load->isSimple() || !loop.isLoopInvariant(load->getPointerOperand()) || mayBeWritten(*load))
        continue;
      if (!end)
        end = behind(guard);
      load->moveBefore(end);
      loads.push_back(load);
    }
    if (loads.empty())
      return;
    // In the loop they are used behind the guard alone.
    for (LoadInst *load : loads) {
      PHINode *value = IRBuilder<>(&loop.getLoopPreheader()->front()).CreatePHI(load->getType(), 2, load->getName());
      load->replaceUsesWithIf(value, [&](Use &use) { return cast<Instruction>(use.getUser())->getParent() != end->getParent(); });
      for (BasicBlock *from : predecessors(value->getParent()))
        value->addIncoming(from == end->getParent() ? static_cast<Value *>(load) : PoisonValue::get(load->getType()), from);
    }
    evolution.forgetLoop(&loop);
  }

  bool mayBeWritten(LoadInst &load) {
    MemoryLocation memory = MemoryLocation::get(&load);
    return any_of(loop.blocks(), [&](BasicBlock *block) {
      return any_of(*block, [&](Instruction &other) {
        return other.mayWriteToMemory() && isModSet(aliases.getModRefInfo(&other, memory));
      });
    });
  }

  bool hoist(const Access &access, const Guard *guard = nullptr) {
    Times made = times(guard ? guard->from : access.call->getParent());
    const SCEV *taken = evolution.getBackedgeTakenCount(&loop);
    auto moves = progress(access.address());
    if (made == Times::Unknown || !isFixed(access) || !moves)
      return false;
    auto [first, stride] = *moves;
    stride = evolution.getNoopOrSignExtend(stride, word);
    // In a worksharing loop an access that stays is one of each iteration.
    bool stays = stride->isZero() && !iteration;
    const SCEV *count = evolution.getOne(word);
    if (stays) {
      // One that may not be made at all stays where it is known whether it is.
      if (made != Times::EveryIteration)
        return false;
    } else {
      if (access.dimensions > 1 || isa<SCEVCouldNotCompute>(taken) || evolution.getTypeSizeInBits(taken->getType()) > 64)
        return false;
      count = evolution.getNoopOrZeroExtend(taken, word);
      if (made == Times::EveryIteration)
        count = evolution.getAddExpr(count, evolution.getOne(word));
    }
    Instruction *end = guard ? guarded.lookup(guard->to) : nullptr, *before = end ? end : loop.getLoopPreheader()->getTerminator();
    SmallVector<const SCEV *, 4> needed = {first, count, stride};
    if (iteration)
      needed.push_back(firstIteration);
    for (const Use &argument : drop_begin(access.call->args()))
      needed.push_back(evolution.getSCEV(argument.get()));
    SCEVExpander expander(evolution, layout, "raceproof");
    if (!all_of(needed, [&](const SCEV *value) { return expander.isSafeToExpandAt(value, before); }))
      return false;
    if (guard && !end)
      before = guarded[guard->to] = behind(*guard);
    auto expand = [&](const SCEV *value, Type *type) { return expander.expandCodeFor(value, type, before); };
    SmallVector<Value *, 4> others;
    for (const Use &argument : drop_begin(access.call->args()))
      others.push_back(expand(evolution.getSCEV(argument.get()), argument->getType()));
    Value *address = expand(first, access.address()->getType());
    if (stays && access.dimensions == 0)
      keep(access, mark(before, address, others[0], access.alignment(), access.kind, access.call->getDebugLoc()));
    else if (stays)
      markRange(access, before, address, others[0], ArrayRef(others).drop_front());
    else {
      SmallVector<Value *, 4> shape;
      if (access.dimensions == 1)
        shape.append({others[1], others[2]});
      shape.append({expand(count, word), expand(stride, word)});
      Value *number = iteration ? expand(firstIteration, word) : nullptr;
      markRange(access, before, address, others[0], shape, number);
    }
    return true;
  }

  /// Marks a range in place of a marker in the loop.
  void markRange(const Access &access, Instruction *before, Value *address, Value *size, ArrayRef<Value *> shape, Value *number = nullptr) {
    keep(access, raceproof::markRange(before, address, size, shape, access.kind, access.call->getDebugLoc(), number));
  }

  /// What comes from a marker that is kept for pairs is kept for pairs.
  void keep(const Access &access, CallInst *marker) {
    if (access.isForPairs)
      keepForPairs(*accessOf(*marker));
  }

  /// Behind the loop, by a counter.
  bool sink(const Access &access) {
    auto moves = progress(access.address());
    BasicBlock *block = access.call->getParent();
    SmallVector<BasicBlock *> exits = exitsToSinkTo(block);
    if (access.dimensions > 0 || !isFixed(access) || !moves || exits.empty())
      return false;
    Instruction *before = loop.getLoopPreheader()->getTerminator();
    auto [first, stride] = *moves;
    stride = evolution.getNoopOrSignExtend(stride, word);
    const SCEV *size = evolution.getSCEV(access.size());
    SCEVExpander expander(evolution, layout, "raceproof");
    for (const SCEV *value : {first, stride, size, iteration ? firstIteration : size})
      if (!expander.isSafeToExpandAt(value, before))
        return false;
    Value *number = iteration ? expander.expandCodeFor(firstIteration, word, before) : nullptr;
    Value *address = expander.expandCodeFor(first, access.address()->getType(), before);
    Value *step = expander.expandCodeFor(stride, word, before), *bytes = expander.expandCodeFor(size, word, before);
    for (BasicBlock *exit : exits) {
      PHINode *made = IRBuilder<>(&exit->front()).CreatePHI(word, 2, "raceproof.made");
      for (BasicBlock *from : predecessors(exit))
        made->addIncoming(dominators.dominates(block, from) ? next() : count(), from);
      Instruction *here = &*exit->getFirstInsertionPt();
      Value *times = made;
      if (stride->isZero() && !iteration)
        times = IRBuilder<>(here).CreateZExt(IRBuilder<>(here).CreateIsNotNull(made), word);
      markRange(access, here, address, bytes, {times, step}, number);
    }
    return true;
  }

  /// What a value that goes from one element to the next, or stays, comes to in an iteration: whether it is a step of so many bytes or none.
  bool isStep(Value *value, PHINode *from, int64_t bytes, unsigned depth = 0) {
    if (value == from)
      return true;
    if (depth > 4)
      return false;
    if (auto *choice = dyn_cast<SelectInst>(value))
      return isStep(choice->getTrueValue(), from, bytes, depth + 1) && isStep(choice->getFalseValue(), from, bytes, depth + 1);
    if (auto *join = dyn_cast<PHINode>(value); join && loop.contains(join) && join->getParent() != loop.getHeader())
      return all_of(join->incoming_values(), [&](Value *incoming) { return isStep(incoming, from, bytes, depth + 1); });
    if (auto *element = dyn_cast<GEPOperator>(value);
        element && element->getPointerOperand() == from && element->getNumIndices() == 1) {
      TypeSize scale = layout.getTypeAllocSize(element->getSourceElementType());
      return !scale.isScalable() && isNothingOr(element->getOperand(1), bytes, int64_t(scale.getFixedValue()), depth);
    }
    APInt offset(64, 0);
    return value->stripAndAccumulateConstantOffsets(layout, offset, true) == from && offset.getSExtValue() == bytes;
  }

  /// Whether an index leads so many bytes further, or nowhere.
  bool isNothingOr(Value *index, int64_t bytes, int64_t scale, unsigned depth) {
    if (auto *constant = dyn_cast<ConstantInt>(index)) {
      int64_t distance = constant->getSExtValue() * scale;
      return distance == 0 || distance == bytes;
    }
    if (auto *choice = dyn_cast<SelectInst>(index))
      return depth < 4 && isNothingOr(choice->getTrueValue(), bytes, scale, depth + 1) &&
             isNothingOr(choice->getFalseValue(), bytes, scale, depth + 1);
    // One bit that may be set.
    if (scale <= 0 || bytes <= 0 || bytes % scale != 0 || !isPowerOf2_64(bytes / scale))
      return false;
    APInt maybe = ~computeKnownBits(index, layout).Zero;
    return maybe.isSubsetOf(APInt(maybe.getBitWidth(), bytes / scale));
  }

  /// Behind a loop that goes over elements one after the other, not necessarily one in each iteration: from the first to the last that was
  /// accessed none is left out. How far it came is kept beside.
  bool sinkScan(const Access &access) {
    auto size = access.fixedSize();
    if (access.dimensions > 0 || !size || *size == 0 || *size > 16)
      return false;
    APInt offset(64, 0);
    auto *moving = dyn_cast<PHINode>(access.address()->stripAndAccumulateConstantOffsets(layout, offset, true));
    if (!moving || moving->getParent() != loop.getHeader())
      return false;
    Value *next = moving->getIncomingValueForBlock(loop.getLoopLatch());
    bool up = isStep(next, moving, int64_t(*size)), down = isStep(next, moving, -int64_t(*size));
    BasicBlock *block = access.call->getParent();
    SmallVector<BasicBlock *> exits = exitsToSinkTo(block);
    if (up == down || exits.empty())
      return false;
    // Ends of the range: the one it begins at, and the one that moves, from before the first element to behind the last.
    IRBuilder<> before(loop.getLoopPreheader()->getTerminator());
    auto at = [&](IRBuilder<> &builder, Value *base, int64_t distance) {
      return distance == 0 ? base : builder.CreateGEP(builder.getInt8Ty(), base, builder.getInt64(distance));
    };
    int64_t first = offset.getSExtValue() + (up ? 0 : int64_t(*size)), beyond = offset.getSExtValue() + (up ? int64_t(*size) : 0);
    Value *fixed = at(before, moving->getIncomingValueForBlock(loop.getLoopPreheader()), first);
    PHINode *end = IRBuilder<>(&loop.getHeader()->front()).CreatePHI(fixed->getType(), 2, "raceproof.end");
    IRBuilder<> here(access.call);
    Value *reached = at(here, moving, beyond);
    end->addIncoming(fixed, loop.getLoopPreheader());
    end->addIncoming(reached, loop.getLoopLatch());
    for (BasicBlock *exit : exits) {
      PHINode *last = IRBuilder<>(&exit->front()).CreatePHI(fixed->getType(), 2, "raceproof.last");
      for (BasicBlock *from : predecessors(exit))
        last->addIncoming(dominators.dominates(block, from) ? reached : end, from);
      IRBuilder<> behind(&*exit->getFirstInsertionPt());
      Value *low = up ? fixed : static_cast<Value *>(last), *high = up ? static_cast<Value *>(last) : fixed;
      Value *bytes = behind.CreateSub(behind.CreatePtrToInt(high, word), behind.CreatePtrToInt(low, word));
      Value *elements = behind.CreateUDiv(bytes, behind.getInt64(*size), "", true);
      markRange(access, &*behind.GetInsertPoint(), low, access.size(), {elements, behind.getInt64(*size)});
    }
    return true;
  }

  /// The blocks behind the loop, if a check of this block can be sunk to all of them: on each way out it is known whether the last iteration
  /// has made it. None otherwise.
  SmallVector<BasicBlock *> exitsToSinkTo(BasicBlock *block) {
    SmallVector<BasicBlock *> exits;
    bool areKnown = all_of(exiting, [&](BasicBlock *from) {
      return dominators.dominates(block, from) || dominators.dominates(from, block);
    });
    if (!areKnown || !loop.hasDedicatedExits())
      return exits;
    loop.getUniqueExitBlocks(exits);
    bool canBeBehind = none_of(exits, [](BasicBlock *exit) {
      return exit->isEHPad() || exit->getFirstInsertionPt() == exit->end();
    });
    return canBeBehind ? exits : SmallVector<BasicBlock *>();
  }

  PHINode *count() {
    if (!counter) {
      BasicBlock *header = loop.getHeader();
      counter = IRBuilder<>(&header->front()).CreatePHI(word, 2, "raceproof.count");
      IRBuilder<> builder(&*header->getFirstInsertionPt());
      Value *next = builder.CreateAdd(counter, ConstantInt::get(word, 1), "raceproof.next");
      for (BasicBlock *from : predecessors(header))
        counter->addIncoming(loop.contains(from) ? next : ConstantInt::get(word, 0), from);
    }
    return counter;
  }

  Value *next() { return count()->getIncomingValueForBlock(loop.getLoopLatch()); }
};

} // namespace

bool moveOutOfLoops(Function &function, const Steps &steps, FunctionAnalysisManager &analyses) {
  auto &dominators = analyses.getResult<DominatorTreeAnalysis>(function);
  auto &loops = analyses.getResult<LoopAnalysis>(function);
  auto &evolution = analyses.getResult<ScalarEvolutionAnalysis>(function);
  auto &aliases = analyses.getResult<AAManager>(function);
  bool moved = false;
  for (Loop *outermost : loops)
    for (Loop *loop : post_order(outermost))
      moved |= Ranges(*loop, steps, evolution, dominators, loops, aliases).run();
  return moved;
}

} // namespace raceproof
