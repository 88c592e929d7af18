// Checks of memory that belongs to the descriptor of an OpenMP task.
//
// A task's descriptor is a block that `__kmpc_omp_task_alloc` gives to whoever creates the task. It begins with what the
// runtime knows of (`kmp_task_t`, the *head*), then come the copies of private variables (the *privates*); the head's first word leads to
// the *shareds*, addresses of what is shared. The creator fills it in and hands it over; the task's entry, the function that was
// given to `__kmpc_omp_task_alloc`, gets it as its second argument.
//
// Why it is sound: take a part of it of which no function that is given the block lets an address out. Then whoever accesses that part is
// the creator or the task. The creator does so after the block was allocated, which gives its memory a new life, and before it hands the
// block over; the task begins after that; and the block is freed when the task is over. So all of it is ordered, in every schedule. What the addresses in the
// shareds point at is somebody else's, and keeps its checks.
//
// What is asked for, then:
//
// - The entry is known for what it is: it is internal, and stands in this module only where a task is allocated for it and where a
//   creator runs the task itself (`if(0)`).
// - Neither the entry nor any creator lets an address of the part out, at any time: not by a call, a store, a nested task that shares
//   it. An address of the head leads to everything.
// - No creator accesses the part after it has handed the block over. An untied task hands itself over at the end of each of its pieces.
// - Nobody else gets the block: no destructor of privates (a function in the head), no function that copies them for a `taskloop`, no event.

#include "Access.h"
#include "Ordered.h"

#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Operator.h"

using namespace llvm;

namespace raceproof {

namespace {

enum Part { Head, Privates, Shareds, Parts };

/// `kmp_task_t`: shareds, routine, part, and two words of data.
constexpr int64_t HeadSize = 40;

/// Where an address leads: into a part, so many bytes from the beginning of the block or of the shareds, if that is known.
struct Place {
  bool ofShareds;
  std::optional<int64_t> offset;

  Part part() const { return ofShareds ? Shareds : offset && *offset < HeadSize ? Head : Privates; }
};

/// What is known of the tasks of one entry.
struct Task {
  bool isOut[Parts] = {};
  SmallVector<std::pair<Instruction *, Part>> markers;

  void letOut(Part part) {
    if (part == Head)
      std::fill(std::begin(isOut), std::end(isOut), true);
    isOut[part] = true;
  }
};

/// Follows the addresses of one block through the function that has it.
class Block {
  Task &task;
  Function *entry;
  const DataLayout &layout;
  SmallVector<std::pair<Value *, Place>> work;
  SmallPtrSet<Value *, 16> seen;
  SmallVector<Instruction *> handovers;
  SmallVector<std::pair<Instruction *, Part>> accesses;

public:
  Block(Task &task, Function *entry, const DataLayout &layout) : task(task), entry(entry), layout(layout) {}

  void follow(Value *block) {
    push(block, Place{false, 0});
    while (!work.empty()) {
      auto [address, place] = work.pop_back_val();
      for (Use &use : address->uses())
        visit(use, place);
    }
    for (Instruction *handover : handovers) {
      SmallPtrSet<Instruction *, 16> later = reached(handover, dyn_cast<Instruction>(block));
      for (auto [access, part] : accesses)
        if (later.contains(access))
          task.letOut(part);
    }
  }

private:
  /// The accesses that may be made after an instruction, as long as the block has not been allocated anew.
  SmallPtrSet<Instruction *, 16> reached(Instruction *from, Instruction *allocation) {
    SmallPtrSet<Instruction *, 16> wanted, found;
    for (auto [access, part] : accesses)
      wanted.insert(access);
    SmallPtrSet<BasicBlock *, 16> entered;
    SmallVector<BasicBlock *> blocks;
    auto go = [&](BasicBlock::iterator at, BasicBlock *block) {
      for (; at != block->end(); ++at) {
        if (&*at == allocation)
          return;
        if (wanted.contains(&*at))
          found.insert(&*at);
      }
      for (BasicBlock *next : successors(block))
        if (entered.insert(next).second)
          blocks.push_back(next);
    };
    go(std::next(from->getIterator()), from->getParent());
    while (!blocks.empty()) {
      BasicBlock *block = blocks.pop_back_val();
      go(block->begin(), block);
    }
    return found;
  }

  void push(Value *address, Place place) {
    if (seen.insert(address).second)
      work.push_back({address, place});
  }

  void visit(Use &use, const Place &place) {
    auto *user = dyn_cast<Instruction>(use.getUser());
    if (!user)
      return task.letOut(Head);
    if (auto *element = dyn_cast<GetElementPtrInst>(user)) {
      APInt offset(64, 0);
      bool isFixed = place.offset && element->accumulateConstantOffset(layout, offset);
      // An index that is not known stays within the privates, or within the shareds.
      if (!isFixed && !place.ofShareds && place.part() == Head)
        return task.letOut(Head);
      return push(element, {place.ofShareds, isFixed ? std::optional(*place.offset + offset.getSExtValue()) : std::nullopt});
    }
    if (auto *load = dyn_cast<LoadInst>(user)) {
      accesses.push_back({load, place.part()});
      if (!place.ofShareds && place.offset == 0)
        push(load, Place{true, 0});
      return;
    }
    if (auto *store = dyn_cast<StoreInst>(user)) {
      if (use.getOperandNo() != StoreInst::getPointerOperandIndex())
        return task.letOut(place.part());
      accesses.push_back({store, place.part()});
      // A destructor in the head would get the block.
      if (place.part() == Head && !isa<ConstantInt>(store->getValueOperand()) &&
          !store->getValueOperand()->getType()->isIntegerTy())
        task.letOut(Head);
      return;
    }
    if (auto access = accessOf(*user)) {
      accesses.push_back({user, place.part()});
      task.markers.push_back({user, place.part()});
      return;
    }
    if (isa<MemIntrinsic>(user)) {
      accesses.push_back({user, place.part()});
      // A copy of the head has the address of the shareds.
      if (place.part() == Head)
        task.letOut(Head);
      return;
    }
    if (isa<ICmpInst>(user) || user->isLifetimeStartOrEnd() || isa<DbgInfoIntrinsic>(user))
      return;
    auto *call = dyn_cast<CallBase>(user);
    if (call && call->isArgOperand(&use) && !place.ofShareds && place.offset == 0 && handsOver(*call, call->getArgOperandNo(&use))) {
      handovers.push_back(call);
      return;
    }
    task.letOut(place.part());
  }

  /// Whether a call gives the block to its task, and to nobody else.
  bool handsOver(const CallBase &call, unsigned argument) {
    if (call.getCalledFunction() == entry)
      return argument == 1;
    StringRef name = calledName(call);
    if (argument != 2)
      return false;
    if (name == "__kmpc_taskloop" || name == "__kmpc_taskloop_5")
      return isa<ConstantPointerNull>(call.getArgOperand(call.arg_size() - 1));
    return name == "__kmpc_omp_task" || name == "__kmpc_omp_task_with_deps" || name == "__kmpc_omp_task_parts" ||
           name == "__kmpc_omp_task_begin_if0" || name == "__kmpc_omp_task_complete_if0";
  }
};

} // namespace

bool removeOfDescriptors(Module &module) {
  Function *allocate = module.getFunction("__kmpc_omp_task_alloc");
  if (!allocate || !allocate->isDeclaration())
    return false;
  constexpr unsigned EntryArgument = 5;
  DenseMap<Function *, SmallVector<CallBase *>> created;
  for (User *user : allocate->users())
    if (auto *call = dyn_cast<CallBase>(user); call && call->getCalledFunction() == allocate && call->arg_size() > EntryArgument)
      if (auto *entry = dyn_cast<Function>(call->getArgOperand(EntryArgument)))
        created[entry].push_back(call);
  bool removed = false;
  for (auto &[entry, creations] : created) {
    if (!entry->hasLocalLinkage() || entry->isDeclaration() || entry->arg_size() != 2)
      continue;
    bool isKnown = all_of(entry->uses(), [&, entry = entry](const Use &use) {
      auto *call = dyn_cast<CallBase>(use.getUser());
      return call && (call->isCallee(&use) || (call->getCalledFunction() == allocate &&
                                               call->isArgOperand(&use) && call->getArgOperandNo(&use) == EntryArgument));
    });
    if (!isKnown)
      continue;
    Task task;
    // Who runs the task at once has created it; if not, the block comes from elsewhere.
    for (User *user : entry->users()) {
      auto *call = cast<CallBase>(user);
      if (call->getCalledFunction() == entry && !is_contained(creations, call->getArgOperand(1)))
        task.letOut(Head);
    }
    const DataLayout &layout = module.getDataLayout();
    Block(task, entry, layout).follow(entry->getArg(1));
    for (CallBase *creation : creations)
      Block(task, entry, layout).follow(creation);
    for (auto [marker, part] : task.markers)
      if (!task.isOut[part]) {
        marker->eraseFromParent();
        removed = true;
      }
  }
  return removed;
}

} // namespace raceproof
