#include "Access.h"
#include "AccessPaths.h"
#include "Iterations.h"
#include "SameEpoch.h"
#include "Steps.h"

#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/Support/ModRef.h"

using namespace llvm;

namespace raceproof {

namespace {

/// Names that no program has: between the two visits nothing is linked.
constexpr StringRef Prefix = "raceproof.";
constexpr StringRef Names[2][3] = {
    {"raceproof.read", "raceproof.read.run", "raceproof.read.runs"},
    {"raceproof.write", "raceproof.write.run", "raceproof.write.runs"},
};
/// What the name of one ends with whose last dimension is one of iterations.
constexpr StringRef ByIterations = ".by.iterations";
/// What the name of one begins with that is kept for pairs, in place of the prefix.
constexpr StringRef ForPairs = "raceproof.pairs.";
constexpr StringRef TableRead = "raceproof.table.read", TableWrite = "raceproof.table.write";

FunctionCallee declare(Module &module, StringRef name, ArrayRef<Type *> parameters) {
  LLVMContext &context = module.getContext();
  auto *type = FunctionType::get(Type::getVoidTy(context), parameters, false);
  FunctionCallee callee = module.getOrInsertFunction(name, type);
  auto *function = cast<Function>(callee.getCallee());
  function->setMemoryEffects(MemoryEffects::inaccessibleMemOnly());
  for (auto attribute : {Attribute::NoSync, Attribute::NoUnwind, Attribute::WillReturn, Attribute::NoFree,
                         Attribute::NoRecurse, Attribute::NoCallback, Attribute::NoMerge})
    function->addFnAttr(attribute);
  for (Argument &argument : function->args())
    if (argument.getType()->isPointerTy()) {
      argument.addAttr(Attribute::NoCapture);
      argument.addAttr(Attribute::ReadNone);
    }
  return callee;
}

CallInst *insert(Instruction *before, StringRef name, ArrayRef<Value *> arguments, const DebugLoc &location) {
  SmallVector<Type *, 6> types;
  for (Value *argument : arguments)
    types.push_back(argument->getType());
  IRBuilder<> builder(before);
  CallInst *call = builder.CreateCall(declare(*before->getModule(), name, types), arguments);
  call->setDebugLoc(location);
  // Two of them in two branches are two places of the source.
  call->addFnAttr(Attribute::NoMerge);
  // Functions are inlined as they would be without it.
  call->addFnAttr(Attribute::get(call->getContext(), "call-inline-cost", "0"));
  return call;
}

} // namespace

StringRef calledName(const Instruction &instruction) {
  auto *call = dyn_cast<CallBase>(&instruction);
  const Function *callee = call ? call->getCalledFunction() : nullptr;
  return callee && callee->isDeclaration() ? callee->getName() : StringRef();
}

Align Access::alignment() const {
  return Align(cast<ConstantInt>(call->getArgOperand(2))->getZExtValue());
}

std::optional<uint64_t> Access::fixedSize() const {
  if (auto *constant = dyn_cast<ConstantInt>(size()))
    return constant->getZExtValue();
  return std::nullopt;
}

std::optional<Bytes> bytesOf(const Access &access) {
  auto size = access.fixedSize();
  if (access.dimensions > 0 || !size)
    return std::nullopt;
  APInt offset(64, 0);
  const Value *base =
      access.address()->stripAndAccumulateConstantOffsets(access.call->getModule()->getDataLayout(), offset, true);
  return Bytes{base, offset.getSExtValue(), *size};
}

bool isSamePlace(const DebugLoc &one, const DebugLoc &other) {
  return one && other && one.getLine() == other.getLine() && one.getCol() == other.getCol() &&
         one->getScope()->getSubprogram() == other->getScope()->getSubprogram();
}

bool isMarker(const Instruction &instruction) { return calledName(instruction).starts_with(Prefix); }

/// The marker that a call of this name is.
static std::optional<Access> accessNamed(StringRef name, const Instruction &instruction) {
  bool isByIterations = name.consume_back(ByIterations);
  for (Kind kind : {Kind::Read, Kind::Write})
    for (unsigned dimensions = 0; dimensions < 3; ++dimensions)
      if (name == Names[kind == Kind::Write][dimensions])
        return Access{cast<CallInst>(const_cast<Instruction *>(&instruction)), kind, dimensions, isByIterations};
  return std::nullopt;
}

std::optional<Access> accessOf(const Instruction &instruction) {
  StringRef name = calledName(instruction);
  return name.starts_with(Prefix) ? accessNamed(name, instruction) : std::nullopt;
}

std::optional<Access> accessForPairs(const Instruction &instruction) {
  StringRef name = calledName(instruction);
  if (!name.consume_front(ForPairs))
    return std::nullopt;
  auto access = accessNamed((Prefix + name).str(), instruction);
  if (access)
    access->isForPairs = true;
  return access;
}

void keepForPairs(const Access &access) {
  SmallVector<Value *, 6> arguments(access.call->args());
  std::string name = (ForPairs + calledName(*access.call).drop_front(Prefix.size())).str();
  insert(access.call, name, arguments, access.call->getDebugLoc());
  access.call->eraseFromParent();
}

CallInst *mark(Instruction *before, Value *address, Value *size, Align alignment, Kind kind, const DebugLoc &location) {
  auto *aligned = ConstantInt::get(Type::getInt32Ty(before->getContext()), alignment.value());
  return insert(before, Names[kind == Kind::Write][0], {address, size, aligned}, location);
}

CallInst *markRange(Instruction *before, Value *address, Value *size, ArrayRef<Value *> countsAndStrides, Kind kind,
                    const DebugLoc &location, Value *firstIteration) {
  SmallVector<Value *, 6> arguments = {address, size};
  arguments.append(countsAndStrides.begin(), countsAndStrides.end());
  StringRef name = Names[kind == Kind::Write][countsAndStrides.size() / 2];
  if (!firstIteration)
    return insert(before, name, arguments, location);
  arguments.push_back(firstIteration);
  return insert(before, (name + ByIterations).str(), arguments, location);
}

CallInst *markOther(Instruction *before, StringRef name, ArrayRef<Value *> arguments, const DebugLoc &location) {
  return insert(before, name, arguments, location);
}

CallInst *markTable(Instruction *before, Value *address, Value *written, const DebugLoc &location) {
  if (written)
    return insert(before, TableWrite, {address, written}, location);
  return insert(before, TableRead, {address}, location);
}

namespace {

/// The entry point of one access, and whether it takes the size.
std::pair<std::string, bool> entryOf(const Access &access) {
  std::string kind = access.kind == Kind::Write ? "write" : "read";
  auto size = access.fixedSize();
  bool isWord = size && isPowerOf2_64(*size) && *size <= 16;
  if (!isWord)
    return {"__tsan_" + kind + "_range", true};
  bool isAligned = access.alignment().value() >= std::min<uint64_t>(*size, 8);
  return {(isAligned ? "__tsan_" : "__tsan_unaligned_") + kind + std::to_string(*size), false};
}

/// A call of the runtime before a marker, at its place in the source.
CallInst *callBefore(CallInst *marker, StringRef name, ArrayRef<Value *> arguments) {
  IRBuilder<> builder(marker);
  SmallVector<Type *, 6> types;
  for (Value *argument : arguments)
    types.push_back(argument->getType());
  auto *type = FunctionType::get(builder.getVoidTy(), types, false);
  FunctionCallee callee = marker->getModule()->getOrInsertFunction(name, type);
  if (auto *function = dyn_cast<Function>(callee.getCallee()))
    function->addFnAttr(Attribute::NoUnwind);
  CallInst *call = builder.CreateCall(callee, arguments);
  call->setDebugLoc(marker->getDebugLoc());
  // The address it returns to is the place in the source.
  call->setCannotMerge();
  return call;
}

CallInst *replace(CallInst *marker, StringRef name, ArrayRef<Value *> arguments) {
  CallInst *lowered = callBefore(marker, name, arguments);
  marker->eraseFromParent();
  return lowered;
}

/// Makes the marker of one access a call of its entry point.
CallInst *callEntry(const Access &access) {
  auto [entry, takesSize] = entryOf(access);
  SmallVector<Value *, 2> arguments = {access.address()};
  if (takesSize)
    arguments.push_back(access.size());
  return replace(access.call, entry, arguments);
}

/// From where up to where a row of elements goes that have nothing between them: the runtime is quick to see that a step has been there.
std::optional<std::pair<Value *, Value *>> spanOf(const Access &access) {
  auto size = access.fixedSize();
  auto *stride = access.dimensions == 1 ? dyn_cast<ConstantInt>(access.stride(0)) : nullptr;
  if (!size || !stride || stride->getSExtValue() == 0 || uint64_t(std::abs(stride->getSExtValue())) != *size)
    return std::nullopt;
  // A span is reported from its lower end, and iterations count from the first.
  if (access.isByIterations && stride->getSExtValue() < 0)
    return std::nullopt;
  IRBuilder<> builder(access.call);
  Value *bytes = builder.CreateMul(access.count(0), access.size());
  if (stride->getSExtValue() > 0)
    return std::pair{access.address(), builder.CreateGEP(builder.getInt8Ty(), access.address(), bytes)};
  Value *high = builder.CreateGEP(builder.getInt8Ty(), access.address(), access.size());
  return std::pair{builder.CreateGEP(builder.getInt8Ty(), high, builder.CreateNeg(bytes)), high};
}

using Calls = SmallVector<CallInst *, 4>;

/// Makes a marker calls of the runtime.
Calls call(const Access &access) {
  Calls calls;
  std::string kind = access.kind == Kind::Write ? "write" : "read";
  if (access.isByIterations) {
    auto *dimension = ConstantInt::get(Type::getInt32Ty(access.call->getContext()), access.dimensions - 1);
    calls.push_back(callBefore(access.call, "__raceproof_by_iterations", {access.firstIteration(), dimension}));
  }
  if (auto span = spanOf(access)) {
    calls.push_back(replace(access.call, "__raceproof_" + kind + "_span", {span->first, span->second, access.size()}));
  } else if (access.dimensions > 0) {
    SmallVector<Value *, 6> arguments(access.call->args());
    arguments.truncate(2 + 2 * access.dimensions);
    calls.push_back(replace(access.call, "__raceproof_" + kind + (access.dimensions == 1 ? "_run" : "_runs"), arguments));
  } else {
    calls.push_back(callEntry(access));
  }
  return calls;
}

void lower(const Access &access, bool isRepeated) {
  auto size = access.fixedSize();
  bool isTested = isRepeated && access.dimensions == 0 && (size == 4 || size == 8) && access.alignment().value() >= 4;
  CallInst *last = call(access).back();
  if (isTested)
    testSameEpoch(last, access.kind, *size);
}

/// Markers that are kept for pairs, those together that stand in one block and step.
std::vector<SmallVector<Access, 4>> keptForPairs(Function &function) {
  std::vector<SmallVector<Access, 4>> kept;
  Steps steps;
  for (BasicBlock &block : function) {
    bool goesOn = false;
    for (Instruction &instruction : block) {
      if (auto access = accessForPairs(instruction)) {
        if (!goesOn)
          kept.emplace_back();
        kept.back().push_back(*access);
        goesOn = true;
      } else if (steps.end(instruction)) {
        goesOn = false;
      }
    }
  }
  return kept;
}

/// Their calls, where a run looks for pairs.
void lowerForPairs(ArrayRef<Access> kept) {
  Calls calls;
  for (const Access &access : kept)
    calls.append(call(access));
  testWatching(calls);
}

/// Whether an address goes on to new memory with every iteration, as over an array or a list. What such a loop accesses it mostly accesses once.
bool walks(const Value *address, const Loop &loop, ScalarEvolution &evolution) {
  auto *recurrence = dyn_cast<SCEVAddRecExpr>(evolution.getSCEV(const_cast<Value *>(address)));
  auto *from = dyn_cast<PHINode>(getUnderlyingObject(address));
  return recurrence || (from && from->getParent() == loop.getHeader());
}

/// Whether a loop calls nobody but the runtime for its accesses. With the next iteration of a worksharing loop nothing has been accessed yet.
bool isWithoutCalls(const Loop &loop) {
  return all_of(loop.blocks(), [](const BasicBlock *block) {
    return all_of(*block, [](const Instruction &instruction) {
      auto *call = dyn_cast<CallBase>(&instruction);
      return !call || call->isInlineAsm() || isa<IntrinsicInst>(call) || (isMarker(instruction) && !isIteration(instruction));
    });
  });
}

/// Markers of accesses that their step may well have made before: in innermost loops without other calls, where most are made. Elsewhere the test would cost the
/// compiler more than it saves the program: beside a call, around which registers are saved anyway, one more is little.
void findRepeated(Function &function, FunctionAnalysisManager &analyses, DenseSet<const Instruction *> &repeated) {
  auto &loops = analyses.getResult<LoopAnalysis>(function);
  auto &evolution = analyses.getResult<ScalarEvolutionAnalysis>(function);
  for (const Loop *loop : loops.getLoopsInPreorder()) {
    if (!loop->isInnermost() || !isWithoutCalls(*loop))
      continue;
    for (BasicBlock *block : loop->blocks())
      for (Instruction &instruction : *block)
        if (auto access = accessOf(instruction); access && !walks(access->address(), *loop, evolution))
          repeated.insert(&instruction);
  }
}

} // namespace

bool lower(Module &module, FunctionAnalysisManager *analyses) {
  SmallVector<CallInst *> markers;
  DenseSet<const Instruction *> repeated;
  std::vector<SmallVector<Access, 4>> kept;
  for (Function &function : module) {
    size_t before = markers.size();
    for (Instruction &instruction : instructions(function))
      if (isMarker(instruction) && !accessForPairs(instruction))
        markers.push_back(cast<CallInst>(&instruction));
    for (auto &together : keptForPairs(function))
      kept.push_back(std::move(together));
    if (analyses && markers.size() > before && !function.hasOptNone() && !function.hasOptSize())
      findRepeated(function, *analyses, repeated);
  }
  emitPaths(module);
  for (CallInst *marker : markers) {
    SmallVector<Value *, 2> arguments(marker->args());
    if (auto access = accessOf(*marker))
      lower(*access, repeated.contains(marker));
    else if (calledName(*marker) == TableWrite)
      replace(marker, "__tsan_vptr_update", arguments);
    else if (calledName(*marker) == TableRead)
      replace(marker, "__tsan_vptr_read", arguments);
    else {
      // `raceproof.lane.read` is `__raceproof_lane_read`.
      std::string name = "__" + calledName(*marker).str();
      std::replace(name.begin(), name.end(), '.', '_');
      replace(marker, name, arguments);
    }
  }
  for (const auto &together : kept)
    lowerForPairs(together);
  for (Function &function : make_early_inc_range(module))
    if (function.getName().starts_with(Prefix) && function.use_empty())
      function.eraseFromParent();
  return !markers.empty() || !kept.empty();
}

} // namespace raceproof
