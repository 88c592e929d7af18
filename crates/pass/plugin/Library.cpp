#include "Library.h"

#include "llvm/ADT/StringSet.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"

using namespace llvm;

namespace raceproof {

namespace {

constexpr StringRef EntryPrefix = "__raceproof_";

/// The functions of the table.
bool isInTable(StringRef name) {
  static const StringSet<> names = {
#define FUNCTION(name) #name,
#include "library.inc"
#undef FUNCTION
  };
  return names.contains(name);
}

/// The attributes of a call with one argument more. What the optimiser could conclude from is left out.
AttributeList attributesFor(const CallBase &call) {
  LLVMContext &context = call.getContext();
  AttributeList before = call.getAttributes();
  AttrBuilder ofCall(context);
  for (auto kept : {Attribute::NoReturn, Attribute::NoUnwind, Attribute::StrictFP})
    if (call.hasFnAttr(kept))
      ofCall.addAttribute(kept);
  if (call.isNoBuiltin())
    ofCall.addAttribute(Attribute::NoBuiltin);
  // Two calls in two branches are two places of the source.
  ofCall.addAttribute(Attribute::NoMerge);
  SmallVector<AttributeSet> ofArguments = {AttributeSet::get(context, {Attribute::get(context, Attribute::Nest)})};
  for (unsigned number = 0; number < call.arg_size(); ++number)
    ofArguments.push_back(before.getParamAttrs(number));
  return AttributeList::get(context, AttributeSet::get(context, ofCall), before.getRetAttrs(), ofArguments);
}

void redirect(CallBase &call) {
  Function *callee = call.getCalledFunction();
  FunctionType *type = call.getFunctionType();
  SmallVector<Type *> parameters = {callee->getType()};
  parameters.append(type->param_begin(), type->param_end());
  FunctionCallee entry = call.getModule()->getOrInsertFunction(
      (EntryPrefix + callee->getName()).str(), FunctionType::get(type->getReturnType(), parameters, type->isVarArg()));
  // What the dynamic linker does at the first call of a function does not keep the register of the first argument.
  if (auto *function = dyn_cast<Function>(entry.getCallee()))
    function->addFnAttr(Attribute::NonLazyBind);
  SmallVector<Value *> arguments = {callee};
  arguments.append(call.arg_begin(), call.arg_end());
  SmallVector<OperandBundleDef, 1> bundles;
  call.getOperandBundlesAsDefs(bundles);
  IRBuilder<> builder(&call);
  CallBase *redirected;
  if (auto *invoke = dyn_cast<InvokeInst>(&call))
    redirected = builder.CreateInvoke(entry, invoke->getNormalDest(), invoke->getUnwindDest(), arguments, bundles);
  else
    redirected = builder.CreateCall(entry, arguments, bundles);
  redirected->setAttributes(attributesFor(call));
  redirected->setCallingConv(call.getCallingConv());
  redirected->setDebugLoc(call.getDebugLoc());
  redirected->takeName(&call);
  call.replaceAllUsesWith(redirected);
  call.eraseFromParent();
}

} // namespace

void redirectLibraryCalls(Function &function, function_ref<bool(const CallBase &)> isUnseen) {
  SmallVector<CallBase *> calls;
  for (Instruction &instruction : instructions(function)) {
    auto *call = dyn_cast<CallBase>(&instruction);
    Function *callee = call ? call->getCalledFunction() : nullptr;
    if (callee && callee->isDeclaration() && !callee->isIntrinsic() && isa<CallInst, InvokeInst>(call) &&
        !call->isMustTailCall() && isInTable(callee->getName()) && !isUnseen(*call))
      calls.push_back(call);
  }
  for (CallBase *call : calls)
    redirect(*call);
}

const Function *libraryFunctionOf(const CallBase &call) {
  const Function *callee = call.getCalledFunction();
  if (!callee || !callee->getName().starts_with(EntryPrefix) || call.arg_empty() || !call.paramHasAttr(0, Attribute::Nest))
    return nullptr;
  return dyn_cast<Function>(call.getArgOperand(0)->stripPointerCasts());
}

} // namespace raceproof
