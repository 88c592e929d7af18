#include "Steps.h"
#include "Access.h"
#include "Iterations.h"
#include "Library.h"

#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"

using namespace llvm;

namespace raceproof {

namespace {

/// Whether the definition here is the one that is called in the end, or one that does the same.
bool isBound(const Function &function) {
  return !function.isDeclaration() && !function.isInterposable() && !function.hasAvailableExternallyLinkage() &&
         (function.hasLocalLinkage() || function.isDSOLocal() || function.hasLinkOnceODRLinkage());
}

/// Functions of the C library that compute, or look at memory or write it: they neither wait nor wake, allocate nothing, and call nobody back.
bool computes(LibFunc function) {
  switch (function) {
#define WITH_SIZES(name)                                                                                                         \
  case LibFunc_##name:                                                                                                           \
  case LibFunc_##name##f:                                                                                                        \
  case LibFunc_##name##l:
    WITH_SIZES(acos)
    WITH_SIZES(acosh)
    WITH_SIZES(asin)
    WITH_SIZES(asinh)
    WITH_SIZES(atan)
    WITH_SIZES(atan2)
    WITH_SIZES(atanh)
    WITH_SIZES(cbrt)
    WITH_SIZES(ceil)
    WITH_SIZES(copysign)
    WITH_SIZES(cos)
    WITH_SIZES(cosh)
    WITH_SIZES(exp)
    WITH_SIZES(exp10)
    WITH_SIZES(exp2)
    WITH_SIZES(expm1)
    WITH_SIZES(fabs)
    WITH_SIZES(floor)
    WITH_SIZES(fmax)
    WITH_SIZES(fmin)
    WITH_SIZES(fmod)
    WITH_SIZES(frexp)
    WITH_SIZES(ldexp)
    WITH_SIZES(log)
    WITH_SIZES(log10)
    WITH_SIZES(log1p)
    WITH_SIZES(log2)
    WITH_SIZES(logb)
    WITH_SIZES(modf)
    WITH_SIZES(nearbyint)
    WITH_SIZES(pow)
    WITH_SIZES(rint)
    WITH_SIZES(round)
    WITH_SIZES(roundeven)
    WITH_SIZES(sin)
    WITH_SIZES(sinh)
    WITH_SIZES(sqrt)
    WITH_SIZES(tan)
    WITH_SIZES(tanh)
    WITH_SIZES(trunc)
#undef WITH_SIZES
  case LibFunc_abs:
  case LibFunc_labs:
  case LibFunc_llabs:
  case LibFunc_atof:
  case LibFunc_atoi:
  case LibFunc_atol:
  case LibFunc_atoll:
  case LibFunc_bcmp:
  case LibFunc_ffs:
  case LibFunc_ffsl:
  case LibFunc_ffsll:
  case LibFunc_isascii:
  case LibFunc_isdigit:
  case LibFunc_toascii:
  case LibFunc_memccpy:
  case LibFunc_memchr:
  case LibFunc_memcmp:
  case LibFunc_mempcpy:
  case LibFunc_memrchr:
  case LibFunc_stpcpy:
  case LibFunc_stpncpy:
  case LibFunc_strcasecmp:
  case LibFunc_strcat:
  case LibFunc_strchr:
  case LibFunc_strcmp:
  case LibFunc_strcpy:
  case LibFunc_strcspn:
  case LibFunc_strlen:
  case LibFunc_strncasecmp:
  case LibFunc_strncat:
  case LibFunc_strncmp:
  case LibFunc_strncpy:
  case LibFunc_strnlen:
  case LibFunc_strpbrk:
  case LibFunc_strrchr:
  case LibFunc_strspn:
  case LibFunc_strstr:
  case LibFunc_strtod:
  case LibFunc_strtof:
  case LibFunc_strtol:
  case LibFunc_strtold:
  case LibFunc_strtoll:
  case LibFunc_strtoul:
  case LibFunc_strtoull:
  case LibFunc_wcslen:
    return true;
  default:
    return false;
  }
}

/// The function of the C library that an intrinsic may become a call of.
std::string functionOf(const IntrinsicInst &intrinsic) {
  StringRef base;
  switch (intrinsic.getIntrinsicID()) {
#define SAME(name)                                                                                                               \
  case Intrinsic::name:                                                                                                          \
    base = #name;                                                                                                                \
    break;
    SAME(sin)
    SAME(cos)
    SAME(exp)
    SAME(exp2)
    SAME(log)
    SAME(log2)
    SAME(log10)
    SAME(pow)
    SAME(sqrt)
    SAME(floor)
    SAME(ceil)
    SAME(trunc)
    SAME(rint)
    SAME(nearbyint)
    SAME(round)
    SAME(roundeven)
    SAME(lrint)
    SAME(llrint)
    SAME(lround)
    SAME(llround)
#if LLVM_VERSION_MAJOR >= 17
    SAME(ldexp)
#endif
#if LLVM_VERSION_MAJOR >= 18
    SAME(exp10)
#endif
#if LLVM_VERSION_MAJOR >= 19
    SAME(tan)
    SAME(asin)
    SAME(acos)
    SAME(atan)
    SAME(sinh)
    SAME(cosh)
    SAME(tanh)
#endif
    SAME(fma)
#undef SAME
  case Intrinsic::fmuladd:
    base = "fma";
    break;
  case Intrinsic::minnum:
    base = "fmin";
    break;
  case Intrinsic::maxnum:
    base = "fmax";
    break;
  default:
    return "";
  }
  Type *type = intrinsic.getNumOperands() > 0 ? intrinsic.getOperand(0)->getType()->getScalarType() : nullptr;
  if (!type || !type->isFloatingPointTy())
    return "";
  return (base + (type->isFloatTy() ? "f" : type->isDoubleTy() ? "" : "l")).str();
}

bool isWithoutSynchronisation(const IntrinsicInst &intrinsic) {
  switch (intrinsic.getIntrinsicID()) {
  case Intrinsic::trap:
  case Intrinsic::debugtrap:
  case Intrinsic::vastart:
  case Intrinsic::vacopy:
  case Intrinsic::vaend:
    return false;
  default:
    return intrinsic.hasFnAttr(Attribute::NoSync) || intrinsic.doesNotAccessMemory() || isa<MemIntrinsic>(intrinsic) ||
           intrinsic.isLifetimeStartOrEnd() || isa<DbgInfoIntrinsic>(intrinsic) || intrinsic.isAssumeLikeIntrinsic();
  }
}

} // namespace

Steps::Steps(Module &module, Library library) : library(std::move(library)) {
  for (const Function &function : module)
    if (isBound(function))
      nosync.insert(&function);
  // All that is defined here, less what may end a step, until nothing changes.
  for (bool changed = true; changed;) {
    changed = false;
    for (const Function &function : module)
      if (nosync.contains(&function) && any_of(instructions(function), [&](const Instruction &i) { return end(i); })) {
        nosync.erase(&function);
        changed = true;
      }
  }
}

bool Steps::end(const Instruction &instruction) const {
  if (auto *call = dyn_cast<CallBase>(&instruction))
    return endsAtCall(*call);
  // A volatile access is there to be waited with.
  return instruction.isAtomic() || instruction.isVolatile();
}

bool Steps::endsAtCall(const CallBase &call) const {
  if (isMarker(call))
    return isIteration(call);
  if (auto *intrinsic = dyn_cast<IntrinsicInst>(&call)) {
    if (!isWithoutSynchronisation(*intrinsic))
      return true;
    std::string name = functionOf(*intrinsic);
    if (name.empty())
      return false;
    Function *defined = call.getModule()->getFunction(name);
    if (defined && !defined->isDeclaration())
      return !nosync.contains(defined);
    if (!library || call.getFunction()->hasFnAttribute("no-builtins") || call.getFunction()->hasFnAttribute("no-builtin-" + name))
      return true;
    assumed.insert(name);
    return false;
  }
  if (!isa<CallInst>(call))
    return true;
  if (call.isInlineAsm())
    return cast<InlineAsm>(call.getCalledOperand())->hasSideEffects() || !call.doesNotAccessMemory();
  // A call of the C library through the runtime's wrapper synchronises as the function itself does.
  const Function *callee = libraryFunctionOf(call);
  if (!callee)
    callee = call.getCalledFunction();
  if (!callee)
    return true;
  if (!callee->isDeclaration())
    return !nosync.contains(callee);
  return !reliesOn(call, *callee);
}

/// Whether a function that is only declared here ends no step.
bool Steps::reliesOn(const CallBase &call, const Function &callee) const {
  StringRef name = callee.getName();
  // The compiler knows of OpenMP's functions that they order nothing. To the detector, asking for a thread's number matters.
  if (!library || name.starts_with("omp_") || name.starts_with("__kmpc_"))
    return false;
  LibFunc function;
  // The attributes of the caller say which names are the program's own: -fno-builtin.
  const TargetLibraryInfo &known = library(*const_cast<Function *>(call.getFunction()));
  bool isKnown = known.getLibFunc(callee, function);
  bool isLibrarys = isKnown && known.has(function) && !call.isNoBuiltin();
  if (isLibrarys && computes(function)) {
    assumed.insert(name.str());
    return true;
  }
  bool looks = callee.doesNotThrow() && callee.willReturn() && callee.onlyReadsMemory();
  // A program that has a function of the library's name for its own makes no promise by the library's attributes.
  if (isKnown && !isLibrarys)
    return false;
  if (looks && isLibrarys)
    assumed.insert(name.str());
  return looks;
}

void Steps::keepAssumptions(Module &module) const {
  if (assumed.empty())
    return;
  std::string text = ".pushsection .raceproof.assumes,\"\",@progbits\n";
  for (const std::string &name : assumed)
    text += ".asciz \"" + name + "\"\n";
  module.appendModuleInlineAsm(text + ".popsection\n");
}

} // namespace raceproof
