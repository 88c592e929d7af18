#include "Blocks.h"

#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/GlobalVariable.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"

using namespace llvm;

namespace raceproof {

namespace {

/// How many variables and arguments are followed.
constexpr unsigned MostFollowed = 64;

bool isAllocation(const Value *value) {
  auto *call = dyn_cast<CallBase>(value);
  const Function *callee = call ? call->getCalledFunction() : nullptr;
  if (!callee || !callee->isDeclaration())
    return false;
  for (StringRef name : {"malloc", "calloc", "realloc", "aligned_alloc", "_Znwm", "_Znam"})
    if (callee->getName() == name)
      return true;
  return false;
}

/// The argument of a function of this module that gets an operand of a call, by the runtime if the call is of a construct.
const Argument *receiver(const CallBase &call, unsigned operand) {
  const Function *callee = call.getCalledFunction();
  if (!callee)
    return nullptr;
  // `__kmpc_fork_call(place, count, function, operands…)`, and the function has two arguments before these.
  if (callee->getName() == "__kmpc_fork_call" && operand >= 3) {
    auto *construct = dyn_cast<Function>(call.getArgOperand(2)->stripPointerCasts());
    return construct && !construct->isDeclaration() && operand - 1 < construct->arg_size() ? construct->getArg(operand - 1) : nullptr;
  }
  bool isOwn = callee->hasLocalLinkage() && !callee->isDeclaration() && operand < callee->arg_size();
  return isOwn && callee->getName().contains(".omp_outlined") ? callee->getArg(operand) : nullptr;
}

/// What is assigned to a variable of the compiler's or a parameter that has one value for ever.
const Value *onlyAssigned(const AllocaInst &variable) {
  const Value *assigned = nullptr;
  for (const User *user : variable.users()) {
    auto *store = dyn_cast<StoreInst>(user);
    if (store && !assigned && store->getPointerOperand() == &variable)
      assigned = store->getValueOperand();
    else if (!isa<LoadInst, DbgInfoIntrinsic>(user) && !cast<Instruction>(user)->isLifetimeStartOrEnd())
      return nullptr;
  }
  return assigned;
}

/// The variable that an address is of, in the function that declares it.
const Value *declared(const Value *address) {
  for (unsigned step = 0; step < MostFollowed; ++step) {
    address = address->stripPointerCasts();
    if (auto *load = dyn_cast<LoadInst>(address)) {
      auto *variable = dyn_cast<AllocaInst>(load->getPointerOperand());
      address = variable ? onlyAssigned(*variable) : nullptr;
    } else if (auto *argument = dyn_cast<Argument>(address)) {
      const Function *function = argument->getParent();
      if (!function->hasLocalLinkage() || !function->hasOneUse())
        return nullptr;
      auto *call = dyn_cast<CallBase>(function->use_begin()->getUser());
      address = nullptr;
      for (unsigned operand = 0; call && operand < call->arg_size(); ++operand)
        if (receiver(*call, operand) == argument)
          address = call->getArgOperand(operand);
    } else {
      return isa<AllocaInst, GlobalVariable>(address) ? address : nullptr;
    }
    if (!address)
      return nullptr;
  }
  return nullptr;
}

} // namespace

bool holdsBlocks(const Value *variable) {
  const Value *own = declared(variable);
  auto *global = dyn_cast_or_null<GlobalVariable>(own);
  if (!own || (global && (!global->hasLocalLinkage() || !global->hasInitializer() || !global->getInitializer()->isNullValue())))
    return false;
  bool isAssigned = false;
  // Addresses of the variable.
  SmallVector<const Value *> work = {own};
  SmallPtrSet<const Value *, 16> seen = {own};
  auto follow = [&](const Value *address) {
    if (seen.insert(address).second)
      work.push_back(address);
    return seen.size() <= MostFollowed;
  };
  while (!work.empty()) {
    const Value *address = work.pop_back_val();
    for (const Use &use : address->uses()) {
      auto *user = dyn_cast<Instruction>(use.getUser());
      if (!user)
        return false;
      if (isa<LoadInst, DbgInfoIntrinsic>(user) || user->isLifetimeStartOrEnd())
        continue;
      if (auto *store = dyn_cast<StoreInst>(user)) {
        if (store->getPointerOperand() == address) {
          if (isAllocation(store->getValueOperand()))
            isAssigned = true;
          else if (!isa<ConstantPointerNull>(store->getValueOperand()))
            return false;
          continue;
        }
        // A parameter, or a variable of the compiler's.
        auto *copy = dyn_cast<AllocaInst>(store->getPointerOperand());
        if (!copy || onlyAssigned(*copy) != address)
          return false;
        for (const User *reader : copy->users())
          if (isa<LoadInst>(reader) && !follow(reader))
            return false;
        continue;
      }
      auto *call = dyn_cast<CallBase>(user);
      const Argument *argument = call && call->isArgOperand(&use) ? receiver(*call, call->getArgOperandNo(&use)) : nullptr;
      if (!argument || !follow(argument))
        return false;
    }
  }
  return isAssigned;
}

} // namespace raceproof
