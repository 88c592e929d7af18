// Iterations of worksharing loops.
//
// Which iterations of `for`, `sections` and `distribute` a thread executes depends on the size of the team and on the schedule. The runtime judges every
// assignment by one run, since it learns to which iteration an access belongs: `raceproof.iteration` begins an iteration and has its number, in
// the space of the bounds that the OpenMP runtime has set. A range check that leaves the loop says the number of the first iteration (Ranges.cpp).
// `raceproof.iterations.marked` precedes the call that begins the loop. Without it the runtime takes what a thread executes for one piece, and the report
// says so: a loop that is not recognised for certain therefore gets no marks at all.
//
// A loop is recognised by the variables in which the OpenMP runtime leaves its bounds, in two shapes:
//
// - clang's: a variable of its own counts from the lower bound, in steps of one, as long as it is not greater than the upper bound.
// - flang's, by LLVM's OpenMPIRBuilder: a register counts, from zero if the schedule is static, and the lower bound of the thread or of the chunk is added to
//   it; from the lower bound less one if the iterations are dispatched.
//
// An iteration is to accesses what a step is: no check of one stands for a check of another (Steps.cpp). The mark has the attributes of all markers, so that the
// optimiser treats a loop with it as one without.

#include "Iterations.h"
#include "Access.h"

#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/PatternMatch.h"
#include "llvm/Transforms/Utils/Local.h"

using namespace llvm;

namespace raceproof {

namespace {

constexpr StringRef Iteration = "raceproof.iteration", Marked = "raceproof.iterations.marked";

constexpr StringRef Static = "__kmpc_for_static_init_", Distributed = "__kmpc_dist_for_static_init_";
constexpr StringRef Dispatched = "__kmpc_dispatch_next_", Dispatching = "__kmpc_dispatch_init_";

/// A call that sets the bounds of a loop, or of its next chunk, in variables.
struct Bounds {
  CallBase *call;
  Value *lower, *upper, *stride;
  bool isSigned, isDispatched;
};

std::optional<Bounds> boundsSetBy(Instruction &instruction) {
  if (!setsBounds(instruction))
    return std::nullopt;
  auto &call = cast<CallBase>(instruction);
  StringRef name = calledName(instruction);
  bool isDispatched = name.starts_with(Dispatched);
  unsigned lower = isDispatched ? 3 : 4, stride = lower + (name.starts_with(Distributed) ? 3 : 2);
  if (call.arg_size() <= stride)
    return std::nullopt;
  Bounds bounds = {&call, call.getArgOperand(lower), call.getArgOperand(lower + 1), call.getArgOperand(stride), !name.ends_with("u"), isDispatched};
  if (!isa<AllocaInst>(bounds.lower) || !isa<AllocaInst>(bounds.upper))
    return std::nullopt;
  return bounds;
}

/// Where a loop decides whether another iteration follows: whether its counter is below a limit, or not above it.
struct Condition {
  BasicBlock *body;
  ICmpInst::Predicate predicate;
  Value *counter, *limit;
};

/// How a number is computed: the value of a variable, or the sum of a register and another value.
struct Number {
  Value *variable = nullptr, *counter = nullptr, *base = nullptr;

  Value *value(IRBuilder<> &builder, Type *type) const {
    if (variable)
      return builder.CreateLoad(type, variable);
    return builder.CreateAdd(counter, base);
  }
};

class Worksharing {
  Function &function;
  LoopInfo &loops;
  DominatorTree &dominators;
  SmallVector<Bounds> bounds;
  /// Calls that begin a loop whose chunks are dispatched.
  SmallVector<Instruction *> dispatching;
  SmallPtrSet<Instruction *, 8> marked;

public:
  Worksharing(Function &function, LoopInfo &loops, DominatorTree &dominators)
      : function(function), loops(loops), dominators(dominators) {}

  bool run() {
    for (Instruction &instruction : instructions(function)) {
      if (auto set = boundsSetBy(instruction))
        bounds.push_back(*set);
      else if (calledName(instruction).starts_with(Dispatching))
        dispatching.push_back(&instruction);
    }
    if (bounds.empty())
      return false;
    for (Loop *loop : loops.getLoopsInPreorder())
      mark(*loop);
    return !marked.empty();
  }

private:
  void mark(Loop &loop) {
    auto condition = conditionOf(loop);
    const Bounds *set = condition ? boundsOf(loop, *condition) : nullptr;
    if (!set)
      return;
    auto number = countedByVariable(loop, *condition, *set);
    if (!number)
      number = countedByRegister(loop, *condition, *set);
    Instruction *begin = set->isDispatched ? nearest(dispatching, *set->call) : set->call;
    if (!number || !begin)
      return;
    DebugLoc location = loop.getStartLoc();
    Instruction *first = &*condition->body->getFirstInsertionPt();
    IRBuilder<> builder(first);
    Value *value = number->value(builder, condition->counter->getType());
    markOther(first, Iteration, {builder.CreateIntCast(value, builder.getInt64Ty(), set->isSigned)}, location);
    if (marked.insert(begin).second)
      markOther(begin, Marked, {}, location);
  }

  /// Of a loop that begins with its condition.
  std::optional<Condition> conditionOf(const Loop &loop) {
    BasicBlock *block = loop.getHeader();
    if (BasicBlock *next = block->getSingleSuccessor(); next && loop.contains(next) && next->getSinglePredecessor() == block)
      block = next;
    auto *branch = dyn_cast<BranchInst>(block->getTerminator());
    auto *compare = branch && branch->isConditional() ? dyn_cast<ICmpInst>(branch->getCondition()) : nullptr;
    if (!compare || !loop.contains(branch->getSuccessor(0)) || loop.contains(branch->getSuccessor(1)) ||
        branch->getSuccessor(0)->getSinglePredecessor() != block || !loop.getLoopLatch())
      return std::nullopt;
    return Condition{branch->getSuccessor(0), compare->getPredicate(), compare->getOperand(0), compare->getOperand(1)};
  }

  /// The instruction that dominates another, and is dominated by all others that do.
  Instruction *nearest(ArrayRef<Instruction *> candidates, const Instruction &to) {
    Instruction *found = nullptr;
    for (Instruction *candidate : candidates)
      if (dominators.dominates(candidate, &to) && (!found || dominators.dominates(found, candidate)))
        found = candidate;
    return found;
  }

  /// The last call before a loop that sets the bound that its condition depends on.
  const Bounds *boundsOf(const Loop &loop, const Condition &condition) {
    auto isIn = [&](const Value *limit, const Bounds &set) {
      SmallVector<const Value *> work = {limit};
      for (unsigned seen = 0; !work.empty() && seen < 16; ++seen) {
        const Value *value = work.pop_back_val();
        if (auto *load = dyn_cast<LoadInst>(value); load && load->getPointerOperand() == set.upper)
          return true;
        if (isa<BinaryOperator, SelectInst>(value))
          append_range(work, cast<Instruction>(value)->operand_values());
      }
      return false;
    };
    SmallVector<Instruction *> calls;
    for (const Bounds &set : bounds)
      if (isIn(condition.limit, set))
        calls.push_back(set.call);
    Instruction *call = nearest(calls, *loop.getHeader()->getTerminator());
    return call ? find_if(bounds, [&](const Bounds &set) { return set.call == call; }) : nullptr;
  }

  /// clang's shape.
  std::optional<Number> countedByVariable(const Loop &loop, const Condition &condition, const Bounds &set) {
    using namespace PatternMatch;
    auto *load = dyn_cast<LoadInst>(condition.counter);
    auto *variable = load ? dyn_cast<AllocaInst>(load->getPointerOperand()) : nullptr;
    auto upper = m_Load(m_Specific(set.upper));
    bool isLimit = false;
    if (condition.predicate == ICmpInst::ICMP_SLE || condition.predicate == ICmpInst::ICMP_ULE)
      isLimit = match(condition.limit, upper);
    else if (condition.predicate == ICmpInst::ICMP_SLT || condition.predicate == ICmpInst::ICMP_ULT)
      isLimit = match(condition.limit, m_Add(upper, m_One()));
    if (!variable || !isLimit)
      return std::nullopt;
    // Nobody but this function has it; each assignment is the lower bound, or one more than before; and that is made once in an iteration.
    SmallVector<Instruction *> begins;
    unsigned steps = 0;
    for (User *user : variable->users()) {
      auto *instruction = cast<Instruction>(user);
      if (isa<LoadInst>(instruction) || instruction->isLifetimeStartOrEnd() || isa<DbgInfoIntrinsic>(instruction))
        continue;
      auto *store = dyn_cast<StoreInst>(instruction);
      if (!store || store->getPointerOperand() != variable)
        return std::nullopt;
      if (match(store->getValueOperand(), m_Load(m_Specific(set.lower))))
        begins.push_back(store);
      else if (!match(store->getValueOperand(), m_Add(m_Load(m_Specific(variable)), m_One())))
        return std::nullopt;
      if (!loop.contains(store))
        continue;
      ++steps;
      if (is_contained(begins, store) || loops.getLoopFor(store->getParent()) != &loop ||
          !dominators.dominates(store->getParent(), loop.getLoopLatch()))
        return std::nullopt;
    }
    Instruction *begin = nearest(begins, *loop.getHeader()->getTerminator());
    if (steps != 1 || !begin || !dominators.dominates(set.call, begin))
      return std::nullopt;
    return Number{variable, nullptr, nullptr};
  }

  /// The shape of OpenMPIRBuilder.
  std::optional<Number> countedByRegister(const Loop &loop, const Condition &condition, const Bounds &set) {
    using namespace PatternMatch;
    auto *counter = dyn_cast<PHINode>(condition.counter);
    BasicBlock *before = loop.getLoopPredecessor();
    if (!counter || counter->getParent() != loop.getHeader() || !before || condition.predicate != ICmpInst::ICMP_ULT ||
        !match(counter->getIncomingValueForBlock(loop.getLoopLatch()), m_Add(m_Specific(counter), m_One())))
      return std::nullopt;
    Value *start = counter->getIncomingValueForBlock(before), *base = nullptr;
    auto lower = m_Load(m_Specific(set.lower)), upper = m_Load(m_Specific(set.upper));
    if (set.isDispatched) {
      if (match(start, m_Sub(lower, m_One())) && match(condition.limit, upper))
        return Number{nullptr, counter, ConstantInt::get(counter->getType(), 1)};
      return std::nullopt;
    }
    if (!match(start, m_ZeroInt()))
      return std::nullopt;
    // All that is the thread's in one piece.
    if (match(condition.limit, m_Add(m_Sub(upper, m_Value(base)), m_One())) && match(base, lower))
      return Number{nullptr, counter, base};
    // One chunk of many.
    if (match(condition.limit, m_Select(m_Value(), m_Sub(m_Value(), m_Value(base)), m_Sub(m_Add(upper, m_One()), lower))) &&
        match(base, m_Add(m_Mul(m_Value(), m_Load(m_Specific(set.stride))), lower)))
      return Number{nullptr, counter, base};
    return std::nullopt;
  }
};

/// Whether the runtime learns of nothing that a loop does but where its iterations begin.
bool isIdle(const Loop &loop) {
  return all_of(loop.blocks(), [](const BasicBlock *block) {
    return all_of(*block, [](const Instruction &instruction) {
      if (isMarker(instruction))
        return isIteration(instruction);
      auto *call = dyn_cast<CallBase>(&instruction);
      return call ? isa<IntrinsicInst>(call) || call->doesNotAccessMemory() : !instruction.isAtomic();
    });
  });
}

} // namespace

bool setsBounds(const Instruction &instruction) {
  StringRef name = calledName(instruction);
  return name.starts_with(Static) || name.starts_with(Distributed) || name.starts_with(Dispatched);
}

bool isIteration(const Instruction &instruction) { return calledName(instruction) == Iteration; }

bool removeIdleIterations(Function &function, const LoopInfo &loops) {
  SmallVector<Instruction *> idle;
  for (Instruction &instruction : instructions(function))
    if (isIteration(instruction))
      if (const Loop *loop = loops.getLoopFor(instruction.getParent()); loop && isIdle(*loop))
        idle.push_back(&instruction);
  for (Instruction *mark : idle) {
    Value *number = cast<CallInst>(mark)->getArgOperand(0);
    mark->eraseFromParent();
    RecursivelyDeleteTriviallyDeadInstructions(number);
  }
  return !idle.empty();
}

PreservedAnalyses MarkIterations::run(Function &function, FunctionAnalysisManager &analyses) {
  bool isSeen = function.hasFnAttribute(Attribute::SanitizeThread) && !function.hasFnAttribute(Attribute::DisableSanitizerInstrumentation);
  if (!isSeen ||
      !Worksharing(function, analyses.getResult<LoopAnalysis>(function), analyses.getResult<DominatorTreeAnalysis>(function)).run())
    return PreservedAnalyses::all();
  PreservedAnalyses preserved;
  preserved.preserveSet<CFGAnalyses>();
  return preserved;
}

} // namespace raceproof
