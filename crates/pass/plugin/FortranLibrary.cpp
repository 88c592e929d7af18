// What the functions of flang's runtime library read and write of the program's memory. They are not instrumented, so that each call of
// one gets calls of the runtime before it, or markers.

#include "Access.h"
#include "Fortran.h"

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"

using namespace llvm;

namespace raceproof {

namespace {

/// A function by its name without `_FortranA`, or by how that begins (`*`), and what it does with its arguments: a letter for
/// each, and the number of the argument.
///
///   r1    reads the array of which argument 1 is the descriptor
///   w1    writes it
///   d1    writes the descriptor itself
///   a0,1  assigns the array of descriptor 1 to that of 0
///   R1,2  reads as many bytes from argument 1 on as argument 2 says
///   W1,2  writes them
///   W1:8  writes 8 bytes
///
/// Descriptors of results are the compiler's own, and not in the table.
struct Entry {
  StringRef name, effects;
};

constexpr Entry Table[] = {
    {"Assign", "a0,1"},
    {"AssignTemporary", "a0,1"},
    {"AssignPolymorphic", "a0,1"},
    {"AssignExplicitLengthCharacter", "a0,1"},
    {"CopyInAssign", "a0,1"},
    {"CopyOutAssign", "a0,1"},
    {"PushArrayConstructorValue", "r1"},
    {"Transfer*", "r1"},
    // Reductions: the array, and where there is one the mask.
    {"SumDim", "r1 r5"},
    {"Sum*", "r0 r4"},
    {"ProductDim", "r1 r5"},
    {"Product*", "r0 r4"},
    {"MaxvalDim", "r1 r5"},
    {"MaxvalCharacter", "r1 r4"},
    {"Maxval*", "r0 r4"},
    {"MinvalDim", "r1 r5"},
    {"MinvalCharacter", "r1 r4"},
    {"Minval*", "r0 r4"},
    {"MaxlocDim", "r1 r6"},
    {"Maxloc*", "r1 r5"},
    {"MinlocDim", "r1 r6"},
    {"Minloc*", "r1 r5"},
    {"IAllDim", "r1 r5"},
    {"IAll*", "r0 r4"},
    {"IAnyDim", "r1 r5"},
    {"IAny*", "r0 r4"},
    {"IParityDim", "r1 r5"},
    {"IParity*", "r0 r4"},
    {"CountDim", "r1"},
    {"Count", "r0"},
    {"AnyDim", "r1"},
    {"Any", "r0"},
    {"AllDim", "r1"},
    {"All", "r0"},
    {"ParityDim", "r1"},
    {"Parity", "r0"},
    {"CppSumComplex*", "r1 r5"},
    {"CppProductComplex*", "r1 r5"},
    {"CppDotProductComplex*", "r1 r2"},
    {"FindlocDim", "r1 r2 r7"},
    {"Findloc", "r1 r2 r6"},
    {"Norm2Dim*", "r1"},
    {"Norm2*", "r0"},
    {"DotProduct*", "r0 r1"},
    // Functions of arrays.
    {"MatmulTransposeDirect*", "w0 r1 r2"},
    {"MatmulDirect*", "w0 r1 r2"},
    {"Matmul*", "r1 r2"},
    {"Transpose", "r1"},
    {"Reshape", "r1 r2 r3 r4"},
    {"CshiftVector", "r1"},
    {"Cshift", "r1 r2"},
    {"EoshiftVector", "r1 r3"},
    {"Eoshift", "r1 r2 r3"},
    {"Pack", "r1 r2 r3"},
    {"Unpack", "r1 r2 r3"},
    {"Spread", "r1"},
    // Characters.
    {"CharacterCompareScalar1", "R0,2 R1,3"},
    {"CharacterCompare", "r1 r2"},
    {"LenTrim1", "R0,1"},
    {"Scan1", "R0,1 R2,3"},
    {"Verify1", "R0,1 R2,3"},
    {"Index1", "R0,1 R2,3"},
    {"Index", "r1 r2"},
    {"Scan", "r1 r2"},
    {"Verify", "r1 r2"},
    {"LenTrim", "r1"},
    {"CharacterMax", "r1"},
    {"CharacterMin", "r1"},
    {"Trim", "r1"},
    {"Adjustl", "r1"},
    {"Adjustr", "r1"},
    {"Repeat", "r1"},
    // Input and output.
    {"ioOutputDescriptor", "r1"},
    {"ioOutputAscii", "R1,2"},
    {"ioOutputCharacter", "R1,2"},
    {"ioOutputDerivedType", "r1"},
    {"ioInputDerivedType", "w1"},
    {"ioInputCharacter", "W1,2"},
    {"ioInputDescriptor", "w1"},
    {"ioInputAscii", "W1,2"},
    {"ioInputInteger", "W1,2"},
    {"ioInputReal32", "W1:4"},
    {"ioInputReal64", "W1:8"},
    {"ioInputComplex32", "W1:8"},
    {"ioInputComplex64", "W1:16"},
    {"ioInputLogical", "W1:4"},
    {"ioBeginInternalListOutput", "W0,1"},
    {"ioBeginInternalListInput", "R0,1"},
    {"ioBeginInternalFormattedOutput", "W0,1"},
    {"ioBeginInternalFormattedInput", "R0,1"},
    {"ioBeginInternalArrayListOutput", "w0"},
    {"ioBeginInternalArrayListInput", "r0"},
    {"ioBeginInternalArrayFormattedOutput", "w0"},
    {"ioBeginInternalArrayFormattedInput", "r0"},
    // Memory of allocatable variables and pointers: the library allocates and frees it where it can be seen.
    {"AllocatableAllocate", "d0"},
    {"AllocatableAllocateSource", "d0 r1"},
    {"AllocatableDeallocate", "d0"},
    {"AllocatableDeallocatePolymorphic", "d0"},
    {"AllocatableSetBounds", "d0"},
    {"PointerAllocate", "d0"},
    {"PointerAllocateSource", "d0 r1"},
    {"PointerDeallocate", "d0"},
    {"PointerDeallocatePolymorphic", "d0"},
    {"PointerSetBounds", "d0"},
    {"PointerNullifyIntrinsic", "d0"},
    {"PointerAssociate", "d0"},
    {"PointerAssociateScalar", "d0"},
    {"PointerAssociateLowerBounds", "d0"},
    {"PointerAssociateRemapping", "d0"},
    {"MoveAlloc", "d0 d1"},
    // The state of the generator is the library's, and locked.
    {"RandomNumber", "w0"},
    {"RandomSeedGet", "w0"},
    {"RandomSeedPut", "r0"},
    {"DateAndTime", "W0,1 W2,3 W4,5 w8"},
};

/// What a simplified one does: its arguments are descriptors, one of them perhaps of the result.
constexpr Entry Simplified = {"", "r0 r1 r2 r3"};

const Entry *find(const CallInst &call) {
  const Function *callee = call.getCalledFunction();
  if (callee && isSimplified(*callee))
    return &Simplified;
  StringRef name = calledName(call);
  if (!name.consume_front("_FortranA"))
    return nullptr;
  for (const Entry &entry : Table) {
    StringRef known = entry.name;
    if (known.consume_back("*") ? name.starts_with(known) : name == known)
      return &entry;
  }
  return nullptr;
}

class Effects {
  CallInst &call;

public:
  explicit Effects(CallInst &call) : call(call) {}

  void add(StringRef effects) {
    while (!effects.empty()) {
      StringRef effect;
      std::tie(effect, effects) = effects.split(' ');
      addOne(effect);
    }
  }

private:
  void addOne(StringRef effect) {
    char what = effect.front();
    unsigned first = 0, second = 0;
    effect = effect.drop_front();
    effect.consumeInteger(10, first);
    bool isFixed = effect.consume_front(":");
    bool hasSecond = isFixed || effect.consume_front(",");
    if (hasSecond)
      effect.consumeInteger(10, second);
    Value *address = argument(first);
    Value *other = hasSecond && !isFixed ? argument(second) : nullptr;
    if (!address || !address->getType()->isPointerTy() || isa<ConstantPointerNull>(address))
      return;
    switch (what) {
    case 'r':
      return tell("__raceproof_fortran_read", {address});
    case 'w':
      return tell("__raceproof_fortran_write", {address});
    case 'd':
      return tell("__raceproof_fortran_describe", {address});
    case 'a':
      if (other && other->getType()->isPointerTy())
        tell("__raceproof_fortran_assign", {address, other});
      return;
    default:
      bytes(address, isFixed ? IRBuilder<>(&call).getInt64(second) : other, what == 'W' ? Kind::Write : Kind::Read);
    }
  }

  Value *argument(unsigned number) const { return number < call.arg_size() ? call.getArgOperand(number) : nullptr; }

  void tell(StringRef name, ArrayRef<Value *> arguments) {
    IRBuilder<> builder(&call);
    SmallVector<Type *, 2> types;
    for (Value *value : arguments)
      types.push_back(value->getType());
    FunctionCallee callee =
        call.getModule()->getOrInsertFunction(name, FunctionType::get(builder.getVoidTy(), types, false));
    CallInst *told = builder.CreateCall(callee, arguments);
    told->setDebugLoc(call.getDebugLoc());
    told->setCannotMerge();
  }

  void bytes(Value *address, Value *size, Kind kind) {
    if (!size || !size->getType()->isIntegerTy())
      return;
    IRBuilder<> builder(&call);
    size = builder.CreateZExtOrTrunc(size, builder.getInt64Ty());
    mark(&call, address, size, Align(1), kind, call.getDebugLoc());
  }
};

} // namespace

bool isSimplified(const Function &function) {
  return !function.isDeclaration() && function.getName().starts_with("_FortranA") &&
         function.getName().ends_with("_simplified");
}

void markLibraryCalls(Function &function) {
  SmallVector<std::pair<CallInst *, const Entry *>> calls;
  for (Instruction &instruction : instructions(function))
    if (auto *call = dyn_cast<CallInst>(&instruction); call && !call->hasMetadata(LLVMContext::MD_nosanitize))
      if (const Entry *entry = find(*call))
        calls.push_back({call, entry});
  for (auto [call, entry] : calls)
    Effects(*call).add(entry->effects);
}

} // namespace raceproof
