#include "Mark.h"
#include "Access.h"
#include "AccessPaths.h"
#include "Iterations.h"
#include "Library.h"
#include "Sites.h"
#include "Vectors.h"

#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InlineAsm.h"
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

/// Whether an argument points at the number of a thread, which the OpenMP runtime keeps: the first two of a function that is internal and that
/// only the runtime calls as the body of a region, or such a body with what it was given (clang's bodies with debug information).
bool isThreadNumber(const Value *address, unsigned depth = 2) {
  auto *argument = dyn_cast<Argument>(address);
  if (!argument || argument->getArgNo() > 1 || depth == 0)
    return false;
  const Function &body = *argument->getParent();
  return body.hasLocalLinkage() && !body.use_empty() && all_of(body.uses(), [&](const Use &use) {
    auto *call = dyn_cast<CallBase>(use.getUser());
    if (!call)
      return false;
    if (call->isCallee(&use))
      return isThreadNumber(call->getArgOperand(argument->getArgNo()), depth - 1);
    StringRef runtime = calledName(*call);
    return runtime == "__kmpc_fork_call" || runtime == "__kmpc_fork_call_if" || runtime == "__kmpc_fork_teams";
  });
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
      if (isa<LoadInst, StoreInst, MemIntrinsic>(instruction) || accessesLanes(instruction) || isAssembly(instruction))
        accesses.push_back(&instruction);
      else if (isa<AtomicRMWInst, AtomicCmpXchgInst>(instruction))
        namePath(instruction);
    for (Instruction *access : accesses) {
      visit(*access);
      forgetPaths(*access);
    }
    return !accesses.empty();
  }

private:
  /// Whether it is inline assembly that may access memory of its operands, and not atomically: an
  /// empty one is there for the optimiser.
  static bool isAssembly(const Instruction &instruction) {
    auto *call = dyn_cast<CallBase>(&instruction);
    if (!call || !call->isInlineAsm())
      return false;
    StringRef text = cast<InlineAsm>(call->getCalledOperand())->getAsmString();
    return !text.trim().empty() && !text.contains_insensitive("lock") && !text.contains_insensitive("xchg");
  }

  /// The operands of inline assembly that are memory.
  void visitAssembly(CallBase &call) {
    unsigned argument = 0;
    for (const InlineAsm::ConstraintInfo &operand : cast<InlineAsm>(call.getCalledOperand())->ParseConstraints()) {
      // Outputs in registers are results, not arguments.
      if (!operand.hasArg())
        continue;
      unsigned at = argument++;
      Type *type = operand.isIndirect ? call.getParamElementType(at) : nullptr;
      if (type && type->isSized())
        visit(call, call.getArgOperand(at), type, Align(1), operand.Type == InlineAsm::isOutput ? Kind::Write : Kind::Read);
    }
  }

  /// Of an atomic access, which keeps its own call from clang's pass.
  static void namePath(Instruction &access) {
    access.setDebugLoc(locationWithPath(access));
    forgetPaths(access);
  }

  void visit(Instruction &instruction) {
    // Whoever made it says that it is none of the program's.
    if (instruction.hasMetadata(LLVMContext::MD_nosanitize))
      return;
    if (auto *load = dyn_cast<LoadInst>(&instruction)) {
      if (!load->isAtomic())
        visit(*load, load->getPointerOperand(), load->getType(), load->getAlign(), Kind::Read);
      else
        namePath(*load);
    } else if (auto *store = dyn_cast<StoreInst>(&instruction)) {
      if (!store->isAtomic())
        visit(*store, store->getPointerOperand(), store->getValueOperand()->getType(), store->getAlign(), Kind::Write);
      else
        namePath(*store);
    } else if (isAssembly(instruction)) {
      visitAssembly(cast<CallBase>(instruction));
    } else if (accessesLanes(instruction)) {
      DebugLoc location = locationWithPath(instruction);
      visitLanes(cast<IntrinsicInst>(instruction), [&](Value *address, Value *size, Kind kind) {
        if (isSeen(address, kind))
          mark(&instruction, address, size, Align(1), kind, location);
      });
    } else {
      auto *copy = cast<MemIntrinsic>(&instruction);
      if (auto *transfer = dyn_cast<MemTransferInst>(copy))
        visitBytes(*copy, transfer->getRawSource(), transfer->getSourceAlign(), Kind::Read);
      visitBytes(*copy, copy->getRawDest(), copy->getDestAlign(), Kind::Write);
    }
  }

  bool isSeen(const Value *address, Kind kind) {
    return address->getType()->getPointerAddressSpace() == 0 && !address->isSwiftError() && !isPrivate(address) &&
           !(kind == Kind::Read && (isConstant(address) || isThreadNumber(address)));
  }

  void visit(Instruction &access, Value *address, Type *type, Align alignment, Kind kind) {
    TypeSize size = layout.getTypeStoreSize(type);
    if (size.isScalable() || size.isZero() || !isSeen(address, kind))
      return;
    if (isTablePointer(access)) {
      auto *store = dyn_cast<StoreInst>(&access);
      Value *written = store ? store->getValueOperand() : nullptr;
      if (!written || written->getType()->isPointerTy()) {
        markTable(&access, address, written, locationWithPath(access));
        return;
      }
    }
    // A table of virtual functions is constant.
    if (auto *table = dyn_cast<LoadInst>(getUnderlyingObject(address)); table && isTablePointer(*table))
      return;
    mark(&access, address, ConstantInt::get(word, size.getFixedValue()), alignment, kind,
         locationWithPath(access));
  }

  void visitBytes(MemIntrinsic &copy, Value *address, MaybeAlign alignment, Kind kind) {
    Value *length = copy.getLength();
    auto *constant = dyn_cast<ConstantInt>(length);
    if ((constant && constant->isZero()) || !isSeen(address, kind))
      return;
    if (length->getType() != word)
      length = IRBuilder<>(&copy).CreateZExtOrTrunc(length, word);
    CopyEnd end = kind == Kind::Read ? CopyEnd::Source : CopyEnd::Destination;
    mark(&copy, address, length, alignment.valueOrOne(), kind, locationWithPath(copy, end));
  }
};

/// Whether clang's pass has no call for an atomic update, and leaves it unseen.
bool isWithoutCall(const AtomicRMWInst &update) {
  switch (update.getOperation()) {
  case AtomicRMWInst::Max:
  case AtomicRMWInst::Min:
  case AtomicRMWInst::UMax:
  case AtomicRMWInst::UMin:
  case AtomicRMWInst::FAdd:
  case AtomicRMWInst::FSub:
  case AtomicRMWInst::FMax:
  case AtomicRMWInst::FMin:
    return true;
  default:
    return false;
  }
}

Value *updated(IRBuilder<> &builder, AtomicRMWInst &update, Value *old) {
  Value *with = update.getValOperand();
  switch (update.getOperation()) {
  case AtomicRMWInst::Max:
    return builder.CreateSelect(builder.CreateICmpSGT(old, with), old, with);
  case AtomicRMWInst::Min:
    return builder.CreateSelect(builder.CreateICmpSLE(old, with), old, with);
  case AtomicRMWInst::UMax:
    return builder.CreateSelect(builder.CreateICmpUGT(old, with), old, with);
  case AtomicRMWInst::UMin:
    return builder.CreateSelect(builder.CreateICmpULE(old, with), old, with);
  case AtomicRMWInst::FAdd:
    return builder.CreateFAdd(old, with);
  case AtomicRMWInst::FSub:
    return builder.CreateFSub(old, with);
  case AtomicRMWInst::FMax:
    return builder.CreateMaxNum(old, with);
  case AtomicRMWInst::FMin:
    return builder.CreateMinNum(old, with);
  default:
    llvm_unreachable("an update that has a call");
  }
}

/// Makes a loop of compare and exchange of an atomic update that has no call (`atomic compare` with `<` and `>`): its parts have calls.
void expandUpdate(AtomicRMWInst &update) {
  const DataLayout &layout = update.getModule()->getDataLayout();
  Type *type = update.getType(), *bits = IntegerType::get(update.getContext(), layout.getTypeSizeInBits(type));
  BasicBlock *before = update.getParent();
  BasicBlock *after = before->splitBasicBlock(update.getIterator(), "raceproof.updated");
  BasicBlock *loop = BasicBlock::Create(update.getContext(), "raceproof.update", before->getParent(), after);
  before->getTerminator()->eraseFromParent();
  IRBuilder<> builder(before);
  builder.SetCurrentDebugLocation(update.getDebugLoc());
  LoadInst *first = builder.CreateAlignedLoad(bits, update.getPointerOperand(), update.getAlign());
  first->setAtomic(AtomicOrdering::Monotonic, update.getSyncScopeID());
  builder.CreateBr(loop);
  builder.SetInsertPoint(loop);
  PHINode *expected = builder.CreatePHI(bits, 2);
  expected->addIncoming(first, before);
  Value *old = builder.CreateBitCast(expected, type);
  Value *desired = builder.CreateBitCast(updated(builder, update, old), bits);
  AtomicOrdering order = update.getOrdering();
  AtomicCmpXchgInst *exchange =
      builder.CreateAtomicCmpXchg(update.getPointerOperand(), expected, desired, update.getAlign(), order,
                                  AtomicCmpXchgInst::getStrongestFailureOrdering(order), update.getSyncScopeID());
  expected->addIncoming(builder.CreateExtractValue(exchange, 0), loop);
  builder.CreateCondBr(builder.CreateExtractValue(exchange, 1), after, loop);
  update.replaceAllUsesWith(old);
  update.eraseFromParent();
}

void expandUpdates(Function &function) {
  SmallVector<AtomicRMWInst *> updates;
  for (Instruction &instruction : instructions(function))
    if (auto *update = dyn_cast<AtomicRMWInst>(&instruction); update && isWithoutCall(*update))
      updates.push_back(update);
  for (AtomicRMWInst *update : updates)
    expandUpdate(*update);
}

/// Whether a call of the C library looks at constants only.
bool looksAtConstants(const CallBase &call) {
  return call.onlyReadsMemory() && all_of(call.args(), [](const Use &argument) {
           return !argument->getType()->isPointerTy() || isConstant(argument);
         });
}

bool isInstrumented(const Function &function) {
  return !function.isDeclaration() && function.hasFnAttribute(Attribute::SanitizeThread) &&
         !function.hasFnAttribute(Attribute::Naked) && !function.hasFnAttribute(Attribute::DisableSanitizerInstrumentation);
}

} // namespace

PreservedAnalyses MarkAccesses::run(Module &module, ModuleAnalysisManager &analyses) {
  for (Function &function : module)
    if (isInstrumented(function)) {
      expandUpdates(function);
      Marker(function).run();
      redirectLibraryCalls(function, looksAtConstants);
      // clang's own pass then leaves the accesses alone. It still has the atomic ones, and the calls.
      function.removeFnAttr(Attribute::SanitizeThread);
    }
  noteSites(module, analyses);
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
