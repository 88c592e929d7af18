// Checks of static variables that only `main` writes: `static int n, cutoff;`, set from the arguments and read by every task.
//
// Why it is sound: take a variable that no other module can name and whose address goes nowhere. All that is done to it then stands in this
// module. If nothing writes it, there is no race. If what writes it stands in the body of `main`, the sequential part of the program does it: clang makes
// a function of its own of whatever a team or a task may run, so that what is left in `main`, or was inlined there, is run by the initial
// thread, or by a team of one that runs tasks as it creates them; and when a region is over, so are all of its tasks. So
// `main` must not be called, and there must be no task with an event and no `target nowait`: these run beside a team of one. Threads that the program creates
// run beside `main` as well: the module must use OpenMP and create none.
//
// What it can miss: races with `main` of such a task or thread where another module creates it, and of a `main` that another module calls.

#include "Access.h"
#include "Ordered.h"

#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Operator.h"

using namespace llvm;

namespace raceproof {

namespace {

/// What is done to a variable.
struct Mentions {
  bool areKnown = true, areWritesInMain = true;
  SmallVector<Instruction *> markers;

  void add(Value *address) {
    for (User *user : address->users()) {
      if (!areKnown)
        return;
      if (isa<GEPOperator>(user)) {
        add(user);
      } else if (auto *load = dyn_cast<LoadInst>(user)) {
        areKnown = load->isSimple();
      } else if (auto *store = dyn_cast<StoreInst>(user)) {
        areKnown = store->isSimple() && store->getValueOperand() != address;
        wrote(*store);
      } else if (auto *instruction = dyn_cast<Instruction>(user)) {
        auto access = accessOf(*instruction);
        areKnown = access && access->address() == address;
        if (access && access->kind == Kind::Write)
          wrote(*instruction);
        markers.push_back(instruction);
      } else {
        areKnown = false;
      }
    }
  }

private:
  void wrote(Instruction &instruction) {
    const Function *function = instruction.getFunction();
    areWritesInMain &= function->getName() == "main" && !function->hasLocalLinkage();
  }
};

/// Whether the parallel parts of a module are OpenMP's, as far as it shows.
bool hasOnlyTeams(const Module &module) {
  bool hasTeams = false;
  for (const Function &function : module) {
    StringRef name = function.getName();
    if (name == "pthread_create" || name == "thrd_create" || name.contains("_M_start_thread"))
      return false;
    hasTeams |= name.starts_with("__kmpc_");
  }
  return hasTeams;
}

} // namespace

bool removeOfStatics(Module &module) {
  bool isMainAlone = hasOnlyTeams(module);
  if (Function *main = module.getFunction("main"))
    isMainAlone &= main->use_empty();
  for (StringRef detaching : {"__kmpc_task_allow_completion_event", "__kmpc_omp_target_task_alloc"})
    isMainAlone &= !module.getFunction(detaching);
  bool removed = false;
  for (GlobalVariable &variable : module.globals()) {
    if (!variable.hasLocalLinkage() || variable.isThreadLocal() || variable.hasSection() || variable.use_empty())
      continue;
    Mentions mentions;
    mentions.add(&variable);
    bool isWritten = any_of(mentions.markers, [](Instruction *marker) { return accessOf(*marker)->kind == Kind::Write; });
    // A write that the optimiser removed was one of the source.
    if (!mentions.areKnown || !mentions.areWritesInMain || (isWritten && !isMainAlone))
      continue;
    for (Instruction *marker : mentions.markers)
      marker->eraseFromParent();
    removed |= !mentions.markers.empty();
  }
  return removed;
}

bool removeOrdered(Module &module) {
  bool removed = removeOfDescriptors(module);
  return removeOfStatics(module) || removed;
}

} // namespace raceproof
