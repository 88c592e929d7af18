// flang has no ThreadSanitizer, and marks no functions as ones to instrument. And where it compiles a construct of OpenMP in a way that
// another schedule would show, the program is not to blame: what the language says is put in its place.

#include "Fortran.h"
#include "Access.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/IR/DebugInfo.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/Path.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"

using namespace llvm;

namespace raceproof {

namespace {

/// Where an address is, in bytes from a value.
std::optional<int64_t> offsetFrom(const Value *base, const Value *address, const DataLayout &layout) {
  APInt offset(64, 0);
  if (address->stripAndAccumulateConstantOffsets(layout, offset, true) != base)
    return std::nullopt;
  return offset.getSExtValue();
}

/// A task as flang creates one: the addresses of what it captures go into a structure of the creator's, which is copied into
/// the task's descriptor; the task's entry loads them from there.
class FlangTask {
  CallInst *created;
  Function *entry;
  const DataLayout *layout;
  /// The creator's structure.
  AllocaInst *captured = nullptr;

public:
  FlangTask(CallInst *created, Function *entry)
      : created(created), entry(entry), layout(&created->getModule()->getDataLayout()) {
    for (User *user : created->users())
      if (auto *shareds = dyn_cast<LoadInst>(user))
        for (User *copied : shareds->users())
          if (auto *copy = dyn_cast<MemCpyInst>(copied); copy && copy->getRawDest() == shareds)
            captured = dyn_cast<AllocaInst>(copy->getRawSource());
  }

  /// flang has the task itself copy its `firstprivate` variables when it begins, from where the creator may have changed them. The
  /// creator hands over the value of each instead, where it would put the address.
  void captureValues(const Declarations &declarations) {
    if (!captured)
      return;
    for (auto [field, address] : captures()) {
      LoadInst *copy = firstprivateCopy(*address, declarations);
      StoreInst *store = copy ? storeOf(field) : nullptr;
      if (!store)
        continue;
      IRBuilder<> builder(store);
      builder.SetCurrentDebugLocation(created->getDebugLoc());
      Value *value = builder.CreateAlignedLoad(copy->getType(), store->getValueOperand(), copy->getAlign());
      builder.CreateAlignedStore(value, store->getPointerOperand(), Align(1));
      store->eraseFromParent();
      copy->setOperand(LoadInst::getPointerOperandIndex(), address->getPointerOperand());
      copy->setAlignment(Align(1));
      address->eraseFromParent();
    }
  }

  /// What else the task copies when it begins, it copies for its creator.
  void leaveCopiesOut(const Declarations &declarations) {
    for (Instruction &instruction : instructions(*entry))
      if (isa<LoadInst, CallInst>(instruction) && declarations.has(instruction))
        instruction.setMetadata(LLVMContext::MD_nosanitize, MDNode::get(instruction.getContext(), {}));
  }

private:
  /// The loads of captured addresses in the entry, by offset; those that are loaded once.
  SmallVector<std::pair<int64_t, LoadInst *>> captures() const {
    SmallVector<std::pair<int64_t, LoadInst *>> found;
    Argument *descriptor = entry->getArg(1);
    for (User *user : descriptor->users()) {
      auto *shareds = dyn_cast<LoadInst>(user);
      if (!shareds || !shareds->getType()->isPointerTy())
        continue;
      for (Instruction &instruction : instructions(*entry))
        if (auto *load = dyn_cast<LoadInst>(&instruction); load && load->getType()->isPointerTy())
          if (auto offset = offsetFrom(shareds, load->getPointerOperand(), *layout))
            found.push_back({*offset, load});
    }
    erase_if(found, [&](auto &one) {
      return count_if(found, [&](auto &other) { return other.first == one.first; }) > 1;
    });
    return found;
  }

  /// The load by which a scalar variable is copied, if its address is used for nothing else.
  LoadInst *firstprivateCopy(LoadInst &address, const Declarations &declarations) const {
    auto *load = address.hasOneUse() ? dyn_cast<LoadInst>(*address.user_begin()) : nullptr;
    if (!load || !load->isSimple() || !load->hasOneUse() || !declarations.has(*load) ||
        layout->getTypeStoreSize(load->getType()) > layout->getPointerSize())
      return nullptr;
    auto *store = dyn_cast<StoreInst>(*load->user_begin());
    return store && store->getDebugLoc() == load->getDebugLoc() ? load : nullptr;
  }

  /// The one store that puts an address into the creator's structure.
  StoreInst *storeOf(int64_t field) const {
    StoreInst *found = nullptr;
    for (Instruction &instruction : instructions(*created->getFunction()))
      if (auto *store = dyn_cast<StoreInst>(&instruction))
        if (offsetFrom(captured, store->getPointerOperand(), *layout) == field) {
          if (found || !store->getValueOperand()->getType()->isPointerTy())
            return nullptr;
          found = store;
        }
    return found;
  }
};

/// The entries of tasks that are known for what they are: created at one place of the module, and run by nobody but the runtime
/// and that place (`if(.false.)`).
SmallVector<FlangTask> tasksOf(Module &module) {
  SmallVector<FlangTask> tasks;
  for (Function &function : module) {
    if (function.isDeclaration() || !function.hasLocalLinkage() || function.arg_size() != 2)
      continue;
    CallInst *created = nullptr;
    bool isKnown = true;
    for (User *user : function.users()) {
      auto *call = dyn_cast<CallInst>(user);
      if (call && calledName(*call) == "__kmpc_omp_task_alloc" && !created)
        created = call;
      else
        isKnown &= call && call->getCalledOperand() == &function;
    }
    if (created && isKnown)
      tasks.emplace_back(created, &function);
  }
  return tasks;
}

/// Whether an address is in the running thread's copy of a `threadprivate` variable.
bool isThreadprivate(const Value *address) {
  auto *call = dyn_cast<CallInst>(address->stripInBoundsOffsets());
  while (!call && isa<GEPOperator>(address)) {
    address = cast<GEPOperator>(address)->getPointerOperand();
    call = dyn_cast<CallInst>(address);
  }
  return call && calledName(*call) == "__kmpc_threadprivate_cached";
}

/// `copyin` copies the master's variable to that of every thread, the master's too: which writes what it has read, beside the reads of
/// the others. It is left out where both are the same.
void guardCopyin(Function &function, const Declarations &declarations) {
  SmallVector<std::pair<Instruction *, std::pair<Value *, Value *>>> copies;
  for (Instruction &instruction : instructions(function)) {
    if (!declarations.has(instruction))
      continue;
    if (auto *store = dyn_cast<StoreInst>(&instruction)) {
      auto *load = dyn_cast<LoadInst>(store->getValueOperand());
      if (load && isThreadprivate(store->getPointerOperand()))
        copies.push_back({store, {load->getPointerOperand(), store->getPointerOperand()}});
    } else if (auto *copy = dyn_cast<MemTransferInst>(&instruction)) {
      if (isThreadprivate(copy->getRawDest()))
        copies.push_back({copy, {copy->getRawSource(), copy->getRawDest()}});
    }
  }
  for (auto &[copy, ends] : copies) {
    Value *differ = IRBuilder<>(copy).CreateICmpNE(ends.first, ends.second);
    copy->moveBefore(SplitBlockAndInsertIfThen(differ, copy, false));
  }
}

} // namespace

std::string pathOf(const DIFile &file) {
  SmallString<128> path;
  if (!sys::path::is_absolute(file.getFilename()))
    path = file.getDirectory();
  sys::path::append(path, file.getFilename());
  return std::string(path);
}

Declarations::Declarations(const Module &module) {
  auto add = [&](const DIVariable *variable) {
    if (variable->getFile())
      lines[pathOf(*variable->getFile())].insert(variable->getLine());
  };
  DebugInfoFinder finder;
  finder.processModule(module);
  for (const DIGlobalVariableExpression *global : finder.global_variables())
    add(global->getVariable());
  for (const Function &function : module)
    for (const Instruction &instruction : instructions(function)) {
      if (auto *declared = dyn_cast<DbgVariableIntrinsic>(&instruction))
        add(declared->getVariable());
#if LLVM_VERSION_MAJOR >= 19
      for (const DbgVariableRecord &declared : filterDbgVars(instruction.getDbgRecordRange()))
        add(declared.getVariable());
#endif
    }
}

bool Declarations::has(const Instruction &instruction) const {
  const DILocation *location = instruction.getDebugLoc().get();
  if (!location || !location->getFile())
    return false;
  auto found = lines.find(pathOf(*location->getFile()));
  return found != lines.end() && found->second.contains(location->getLine());
}

void mendCopies(Module &module, const Declarations &declarations) {
  for (FlangTask &task : tasksOf(module)) {
    task.captureValues(declarations);
    task.leaveCopiesOut(declarations);
  }
  for (Function &function : module)
    if (!function.isDeclaration())
      guardCopyin(function, declarations);
}

PreservedAnalyses PrepareFortran::run(Module &module, ModuleAnalysisManager &) {
  for (Function &function : module)
    if (!function.isDeclaration()) {
      if (!isSimplified(function))
        function.addFnAttr(Attribute::SanitizeThread);
      // So that a frame that is larger than the guard of a stack does not reach over it into the next, as clang is told by an option.
      function.addFnAttr("probe-stack", "inline-asm");
    }
  mendLines(module);
  mendCopies(module, Declarations(module));
  for (Function &function : module)
    if (!function.isDeclaration())
      markLibraryCalls(function);
  return PreservedAnalyses::none();
}

} // namespace raceproof
