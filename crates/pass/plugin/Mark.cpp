#include "Mark.h"
#include "Access.h"

#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/Transforms/Scalar/SROA.h"

using namespace llvm;

namespace raceproof {

namespace {

/// Whether the address of a local variable goes nowhere but to accesses of it. A call may hand it to another task, whatever
/// the callee's attributes say: that it keeps no copy does not mean that nobody uses it meanwhile.
class Private {
  SmallDenseMap<const AllocaInst *, bool> known;

public:
  bool operator()(const Value *address) {
    auto *variable = dyn_cast<AllocaInst>(getUnderlyingObject(address, 0));
    if (!variable)
      return false;
    auto [found, isNew] = known.try_emplace(variable, false);
    if (isNew) {
      bool kept = staysHere(variable);
      known[variable] = kept;
      return kept;
    }
    return found->second;
  }

private:
  /// The calls by which clang has the OpenMP runtime set the bounds of a loop, in variables of its own.
  static bool setsBounds(const Instruction &instruction) {
    const Function *callee = cast<CallInst>(instruction).getCalledFunction();
    return callee && callee->isDeclaration() &&
           (callee->getName().starts_with("__kmpc_for_static_init_") ||
            callee->getName().starts_with("__kmpc_dispatch_next_"));
  }

  static bool staysHere(const AllocaInst *variable) {
    SmallVector<const Value *> work = {variable};
    SmallPtrSet<const Value *, 16> seen = {variable};
    while (!work.empty()) {
      const Value *value = work.pop_back_val();
      for (const Use &use : value->uses()) {
        auto *user = cast<Instruction>(use.getUser());
        switch (user->getOpcode()) {
        case Instruction::Load:
        case Instruction::ICmp:
          break;
        case Instruction::Store:
          if (use.getOperandNo() != StoreInst::getPointerOperandIndex())
            return false;
          break;
        case Instruction::GetElementPtr:
        case Instruction::BitCast:
        case Instruction::PHI:
        case Instruction::Select:
          if (seen.insert(user).second)
            work.push_back(user);
          break;
        case Instruction::Call:
          if (!isMarker(*user) && !setsBounds(*user) && !isa<MemIntrinsic>(user) && !user->isLifetimeStartOrEnd() &&
              !isa<DbgInfoIntrinsic>(user) && !user->isDroppable())
            return false;
          break;
        default:
          return false;
        }
      }
    }
    return true;
  }
};

/// Memory that is constant, or no memory of the program.
bool isConstant(const Value *address) {
  if (auto *variable = dyn_cast<GlobalVariable>(getUnderlyingObject(address)))
    return variable->isConstant() || variable->getName().starts_with("llvm.") ||
           variable->getName().starts_with("__llvm_");
  return false;
}

bool isTablePointer(const Instruction &instruction) {
  if (MDNode *tag = instruction.getMetadata(LLVMContext::MD_tbaa))
    return tag->isTBAAVtableAccess();
  return false;
}

class Marker {
  Function &function;
  const DataLayout &layout;
  Type *word;
  Private isPrivate;

public:
  explicit Marker(Function &function)
      : function(function), layout(function.getParent()->getDataLayout()), word(Type::getInt64Ty(function.getContext())) {}

  bool run() {
    SmallVector<Instruction *> accesses;
    for (Instruction &instruction : instructions(function))
      if (isa<LoadInst, StoreInst, MemIntrinsic>(instruction))
        accesses.push_back(&instruction);
    for (Instruction *access : accesses)
      visit(*access);
    return !accesses.empty();
  }

private:
  void visit(Instruction &instruction) {
    if (auto *load = dyn_cast<LoadInst>(&instruction)) {
      if (!load->isAtomic())
        visit(*load, load->getPointerOperand(), load->getType(), load->getAlign(), Kind::Read);
    } else if (auto *store = dyn_cast<StoreInst>(&instruction)) {
      if (!store->isAtomic())
        visit(*store, store->getPointerOperand(), store->getValueOperand()->getType(), store->getAlign(), Kind::Write);
    } else {
      auto *copy = cast<MemIntrinsic>(&instruction);
      if (auto *transfer = dyn_cast<MemTransferInst>(copy))
        visitBytes(*copy, transfer->getRawSource(), transfer->getSourceAlign(), Kind::Read);
      visitBytes(*copy, copy->getRawDest(), copy->getDestAlign(), Kind::Write);
    }
  }

  bool isSeen(const Value *address, Kind kind) {
    return address->getType()->getPointerAddressSpace() == 0 && !address->isSwiftError() && !isPrivate(address) &&
           !(kind == Kind::Read && isConstant(address));
  }

  void visit(Instruction &access, Value *address, Type *type, Align alignment, Kind kind) {
    TypeSize size = layout.getTypeStoreSize(type);
    if (size.isScalable() || size.isZero() || !isSeen(address, kind))
      return;
    if (isTablePointer(access)) {
      auto *store = dyn_cast<StoreInst>(&access);
      Value *written = store ? store->getValueOperand() : nullptr;
      if (!written || written->getType()->isPointerTy()) {
        markTable(&access, address, written, access.getDebugLoc());
        return;
      }
    }
    // A table of virtual functions is constant.
    if (auto *table = dyn_cast<LoadInst>(getUnderlyingObject(address)); table && isTablePointer(*table))
      return;
    mark(&access, address, ConstantInt::get(word, size.getFixedValue()), alignment, kind, access.getDebugLoc());
  }

  void visitBytes(MemIntrinsic &copy, Value *address, MaybeAlign alignment, Kind kind) {
    Value *length = copy.getLength();
    auto *constant = dyn_cast<ConstantInt>(length);
    if ((constant && constant->isZero()) || !isSeen(address, kind))
      return;
    if (length->getType() != word)
      length = IRBuilder<>(&copy).CreateZExtOrTrunc(length, word);
    mark(&copy, address, length, alignment.valueOrOne(), kind, copy.getDebugLoc());
  }
};

bool isInstrumented(const Function &function) {
  return !function.isDeclaration() && function.hasFnAttribute(Attribute::SanitizeThread) &&
         !function.hasFnAttribute(Attribute::Naked) && !function.hasFnAttribute(Attribute::DisableSanitizerInstrumentation);
}

} // namespace

PreservedAnalyses MarkAccesses::run(Module &module, ModuleAnalysisManager &) {
  for (Function &function : module)
    if (isInstrumented(function)) {
      Marker(function).run();
      // clang's own pass then leaves the accesses alone. It still has the atomic ones, and the calls.
      function.removeFnAttr(Attribute::SanitizeThread);
    }
  return PreservedAnalyses::none();
}

PreservedAnalyses DropPrivate::run(Function &function, FunctionAnalysisManager &analyses) {
  Private isPrivate;
  SmallVector<Instruction *> dropped;
  for (Instruction &instruction : instructions(function))
    if (auto access = accessOf(instruction);
        access && (isPrivate(access->address()) || (access->kind == Kind::Read && isConstant(access->address()))))
      dropped.push_back(&instruction);
  if (dropped.empty())
    return PreservedAnalyses::all();
  for (Instruction *marker : dropped)
    marker->eraseFromParent();
  // What the markers kept in memory may now be registers.
  SROAPass(SROAOptions::PreserveCFG).run(function, analyses);
  PreservedAnalyses preserved;
  preserved.preserveSet<CFGAnalyses>();
  return preserved;
}

} // namespace raceproof
