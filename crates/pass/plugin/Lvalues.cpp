#include "Lvalues.h"
#include "Blocks.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/IR/GetElementPtrTypeIterator.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Operator.h"
#include <memory>
#include <optional>

using namespace llvm;

namespace raceproof {

namespace {

/// Longer paths are of no use to a reader.
constexpr size_t Longest = 160;
/// How many instructions an address is followed through.
constexpr unsigned Deepest = 24;

/// What a pointer points to.
struct Object {
  /// The expression, or the pointer to it.
  std::string text;
  /// Whether `text` is a pointer, and this is what it points to.
  bool isBehind = false;
  /// Whether `text` begins with an operator, so that a postfix one needs parentheses.
  bool isUnary = false;
  /// `v`, `g`, `p` or `b`, and the line of a variable.
  char kind = 'p';
  unsigned line = 0;
  /// Whether it is what a lambda has captured.
  bool isCaptured = false;
  /// Whether it is what a construct has captured: of an array of variable length, `type` is that of its elements.
  bool isShared = false;
  /// None if it is not known.
  const DIType *type = nullptr;
  /// How many dimensions of an array have their index.
  unsigned dimension = 0;
  /// How far into it, in bytes.
  int64_t offset = 0;
  /// The sum of all that is constant between the leftmost pointer and the address.
  int64_t fixed = 0;

  std::string operand() const { return isUnary ? "(" + text + ")" : text; }

  void index(const Twine &what) {
    text = operand() + ("[" + what + "]").str();
    isBehind = isUnary = false;
  }

  /// The expression itself.
  std::string whole() const { return (isBehind ? "*" : "") + text; }
};

/// An expression without the marks of its indices.
std::string plain(StringRef text) {
  std::string out;
  while (!text.empty()) {
    auto [before, after] = text.split('{');
    out += before;
    auto [hole, rest] = after.split('}');
    out += hole.rsplit(':').first;
    text = rest;
  }
  return out;
}

class Lvalues {
  const Function &function;
  const DataLayout &layout;
  struct Declaration {
    const DILocalVariable *variable;
    /// Whether the value is not the variable's address but that of a place where its address is, so many bytes behind.
    bool isIndirect;
    uint64_t behind;
  };
  DenseMap<const Value *, SmallVector<Declaration, 1>> declarations;

public:
  explicit Lvalues(const Function &function) : function(function), layout(function.getParent()->getDataLayout()) {
    for (const Instruction &instruction : instructions(function)) {
#if LLVM_VERSION_MAJOR >= 17
      if (auto *assign = dyn_cast<DbgAssignIntrinsic>(&instruction))
        addAssigned(assign->getAddress(), *assign, *assign->getAddressExpression());
#endif
      if (auto *declare = dyn_cast<DbgDeclareInst>(&instruction))
        add(declare->getAddress(), declare->getVariable(), declare->getExpression());
#if LLVM_VERSION_MAJOR >= 19
      for (DbgVariableRecord &record : filterDbgVars(instruction.getDbgRecordRange()))
        if (record.isDbgAssign())
          addAssigned(record.getAddress(), record, *record.getAddressExpression());
        else if (record.isDbgDeclare())
          add(record.getVariableLocationOp(0), record.getVariable(), record.getExpression());
#endif
    }
  }

  /// The path of an access; empty if there is none to tell.
  std::string path(const Value *address, uint64_t size, Moved moved) {
    std::optional<Object> object = pointee(address, Deepest);
    if (!object)
      return "";
    settle(*object, size, moved);
    // Bytes between fields, or of a type that is not known.
    if (object->offset != 0 && !isRecord(stripped(object->type)) && !asArray(stripped(object->type)))
      return "";
    std::string text = object->kind + (object->kind == 'v' ? utostr(object->line) : object->kind == 'g' ? "" : itostr(object->fixed)) +
                       " " + object->whole();
    return text.size() <= Longest && isPrintable(text) ? text : "";
  }

private:
  static bool isPrintable(StringRef text) {
    return all_of(text, [](char c) { return c >= ' ' && c != '"' && c != '\\' && c != 127; });
  }

  void add(const Value *address, const DILocalVariable *variable, const DIExpression *expression) {
    // Those of the compiler: `.omp.iv`, `__context`.
    StringRef name = variable->getName();
    if (!address || name.empty() || name.starts_with(".") || (variable->isArtificial() && name.starts_with("__")))
      return;
    ArrayRef<uint64_t> steps = expression->getElements();
    uint64_t behind = 0;
    if (steps.size() >= 2 && steps[0] == dwarf::DW_OP_plus_uconst) {
      behind = steps[1];
      steps = steps.drop_front(2);
    }
    bool isIndirect = steps.size() == 1 && steps[0] == dwarf::DW_OP_deref;
    if (isIndirect || (steps.empty() && behind == 0))
      declarations[address].push_back({variable, isIndirect, behind});
  }

  /// What a declaration becomes when stores are tracked: the variable is at the address, if this is not about a part of it.
  template <typename Assign> void addAssigned(const Value *address, Assign &assign, const DIExpression &offset) {
    auto fragment = assign.getExpression()->getFragmentInfo();
    if (offset.getNumElements() == 0 && (!fragment || fragment->OffsetInBits == 0) && !declarations.count(address))
      add(address, assign.getVariable(), &offset);
  }

  Object variable(const DILocalVariable &variable) const {
    Object object;
    object.text = variable.getName().str();
    object.kind = 'v';
    object.line = variable.getLine();
    object.type = variable.getType();
    return object;
  }

  /// Whether the function is what clang made of a construct: its references are the variables of the function around it.
  bool isOutlined() const {
    const DISubprogram *subprogram = function.getSubprogram();
    return function.getName().contains(".omp") && subprogram;
  }

  std::optional<Object> pointee(const Value *pointer, unsigned deep) {
    pointer = pointer->stripPointerCasts();
    if (deep == 0)
      return std::nullopt;
    for (const Declaration &declaration : declarations.lookup(pointer))
      if (!declaration.isIndirect)
        return variable(*declaration.variable);
    if (auto *global = dyn_cast<GlobalVariable>(pointer))
      return ofGlobal(*global);
    if (auto *load = dyn_cast<LoadInst>(pointer))
      return ofLoaded(*load, deep - 1);
    if (auto *element = dyn_cast<GEPOperator>(pointer))
      return ofElement(*element, deep - 1);
    if (auto *call = dyn_cast<CallBase>(pointer))
      return ofCall(*call, deep - 1);
    return std::nullopt;
  }

  static std::optional<Object> ofGlobal(const GlobalVariable &global) {
    SmallVector<DIGlobalVariableExpression *, 1> all;
    global.getDebugInfo(all);
    if (all.empty() || all[0]->getVariable()->getName().empty())
      return std::nullopt;
    Object object;
    object.text = all[0]->getVariable()->getName().str();
    object.kind = 'g';
    object.type = all[0]->getVariable()->getType();
    return object;
  }

  std::optional<Object> ofLoaded(const LoadInst &load, unsigned deep) {
    APInt behind(64, 0);
    const Value *base = load.getPointerOperand()->stripAndAccumulateConstantOffsets(layout, behind, true);
    for (const Declaration &declaration : declarations.lookup(base))
      if (declaration.isIndirect && declaration.behind == behind)
        return variable(*declaration.variable);
    if (const Value *copied = onlyStored(base))
      return pointee(copied, deep);
    std::optional<Object> pointer = pointee(load.getPointerOperand(), deep);
    if (!pointer)
      return std::nullopt;
    const DIType *variableType = pointer->type;
    settle(*pointer, 8, Moved::Pointer);
    const DIType *type = stripped(pointer->type);
    if (pointer->offset != 0 || (!isPointer(type) && !isReference(type)))
      return std::nullopt;
    Object object;
    object.text = plain(pointer->whole());
    object.isUnary = pointer->isBehind;
    object.isBehind = isPointer(type);
    object.type = cast<DIDerivedType>(type)->getBaseType();
    // A variable, without a field or an index.
    bool isVariable = pointer->kind != 'p' && pointer->kind != 'b' && pointer->fixed == 0 && pointer->type == variableType;
    if (object.isBehind && isVariable && holdsBlocks(load.getPointerOperand()))
      object.kind = 'b';
    if (isReference(type) && (pointer->isCaptured || (pointer->kind == 'v' && pointer->fixed == 0 && isOutlined()))) {
      object.kind = 'v';
      object.line = pointer->line;
      object.isShared = true;
    }
    return object;
  }

  /// What the compiler keeps in a variable of its own.
  const Value *onlyStored(const Value *variable) const {
    if (!isa<AllocaInst>(variable) || declarations.count(variable))
      return nullptr;
    const Value *stored = nullptr;
    for (const User *user : variable->users()) {
      auto *store = dyn_cast<StoreInst>(user);
      if (store && !stored && store->getPointerOperand() == variable)
        stored = store->getValueOperand();
      else if (!isa<LoadInst>(user) && !cast<Instruction>(user)->isLifetimeStartOrEnd())
        return nullptr;
    }
    return stored;
  }

  std::optional<Object> ofElement(const GEPOperator &element, unsigned deep) {
    std::optional<Object> object = pointee(element.getPointerOperand(), deep);
    if (!object || element.getType()->isVectorTy())
      return std::nullopt;
    if (isCast(*object, element))
      return std::nullopt;
    for (auto step = gep_type_begin(element), end = gep_type_end(element); step != end; ++step) {
      const Value *index = step.getOperand();
      if (step == gep_type_begin(element) && isElementOf(*object, element)) {
        if (auto *constant = dyn_cast<ConstantInt>(index); constant || !rowIndex(*object, index)) {
          if (constant)
            object->index(Twine(constant->getSExtValue()));
          else
            object->index("{" + text(index, deep) + ":" + utostr(sizeOf(object->type)) + "}");
          object->isShared = false;
          continue;
        }
      }
      if (StructType *record = step.getStructTypeOrNull()) {
        uint64_t by = layout.getStructLayout(record)->getElementOffset(cast<ConstantInt>(index)->getZExtValue());
        object->offset += by;
        object->fixed += by;
        continue;
      }
      TypeSize stride = layout.getTypeAllocSize(step.getIndexedType());
      if (stride.isScalable())
        return std::nullopt;
      if (auto *constant = dyn_cast<ConstantInt>(index)) {
        int64_t by = constant->getSExtValue() * int64_t(stride.getFixedValue());
        object->offset += by;
        object->fixed += by;
      } else if (!subscript(*object, index, stride.getFixedValue(), deep)) {
        return std::nullopt;
      }
    }
    return object;
  }

  /// Whether this is an element of a captured array of variable length: what is captured is a reference to the first.
  bool isElementOf(const Object &object, const GEPOperator &element) const {
    const DIType *type = stripped(object.type);
    Type *of = element.getSourceElementType();
    auto *first = dyn_cast<ConstantInt>(element.getOperand(1));
    bool isDecay = first && first->isZero() && element.getNumIndices() > 1;
    return object.isShared && !object.isBehind && object.offset == 0 && !isDecay && isRecord(type) == of->isStructTy() &&
           (asArray(type) != nullptr) == of->isArrayTy() && sizeOf(type) == layout.getTypeAllocSize(of).getKnownMinValue();
  }

  /// Whether the source has made a pointer to something else of the one to an object.
  static bool isCast(const Object &object, const GEPOperator &element) {
    auto *record = dyn_cast<StructType>(element.getSourceElementType());
    uint64_t size = sizeOf(object.type);
    if (!record || !record->hasName() || size == 0)
      return false;
    int64_t offset = object.isBehind && !endsInFlexibleArray(object.type) ? object.offset - divideFloor(object.offset, size) * int64_t(size) : object.offset;
    return offset < 0 || !hasRecordAt(object.type, offset, record->getName());
  }

  /// Whether an index is one into rows of a length that is only known at run time; clang multiplies it by that.
  const Value *rowIndex(const Object &object, const Value *index) const {
    auto *product = dyn_cast<BinaryOperator>(index);
    if (!product || product->getOpcode() != Instruction::Mul)
      return nullptr;
    const DIType *type = stripped(object.type);
    auto *array = asArray(type);
    bool isOfRows = array && (object.isBehind ? sizeOf(array) == 0 && countOf(*array, 0) == 0
                                              : strideOf(*array, object.dimension) == 0 && object.dimension + 1 < array->getElements().size());
    // A captured array of variable length is a reference to its first element.
    bool isCaptured = !object.isBehind && object.isShared && isArtificial(product->getOperand(1));
    return isOfRows || isCaptured ? product->getOperand(0) : nullptr;
  }

  bool isArtificial(const Value *value) const {
    auto *load = dyn_cast<LoadInst>(value);
    if (!load)
      return false;
    return any_of(declarations.lookup(load->getPointerOperand()),
                  [](const Declaration &declaration) { return declaration.variable->isArtificial(); });
  }

  bool subscript(Object &object, const Value *index, uint64_t stride, unsigned deep) {
    if (const Value *row = rowIndex(object, index)) {
      bool isPointerToRows = object.isBehind;
      object.isBehind = false;
      object.text = object.operand() + "[{" + text(row, deep) + ":0}]";
      object.isUnary = false;
      if (asArray(stripped(object.type)) && !isPointerToRows)
        ++object.dimension;
      return object.offset == 0;
    }
    std::string what = "{" + text(index, deep) + ":" + utostr(stride) + "}";
    const DIType *type = stripped(object.type);
    if (object.isBehind && object.offset == 0 && sizeOf(type) == stride && object.dimension == 0) {
      object.index(what);
      return true;
    }
    while (true) {
      const DIType *type = stripped(object.type);
      if (auto *array = asArray(type)) {
        uint64_t known = strideOf(*array, object.dimension);
        if (object.offset == 0 && (known == stride || (known == 0 && sizeOf(array->getBaseType()) == stride))) {
          enter(object, *array, what);
          return true;
        }
      }
      if (!descend(object, stride, Moved::Bytes))
        return false;
    }
  }

  /// The element of an array.
  static void enter(Object &object, const DICompositeType &array, const Twine &index) {
    bool isPointerToArray = object.isBehind;
    object.isShared = false;
    std::string base = isPointerToArray ? "(*" + object.operand() + ")" : object.operand();
    object.text = base + ("[" + index + "]").str();
    object.isBehind = object.isUnary = false;
    if (++object.dimension >= array.getElements().size()) {
      object.type = array.getBaseType();
      object.dimension = 0;
    }
  }

  /// Goes down to what an access of this size is of.
  static void settle(Object &object, uint64_t size, Moved moved) {
    while (descend(object, size, moved)) {
    }
  }

  /// One step towards an access: an element or a field. None if the access is of the object itself, or it cannot be told of which part.
  static bool descend(Object &object, uint64_t size, Moved moved, bool isPart = false) {
    const DIType *type = stripped(object.type);
    uint64_t all = sizeOf(type);
    bool isOutside = object.offset < 0 || (object.offset >= int64_t(all) && !endsInFlexibleArray(type));
    if (object.isBehind && all > 0 && object.dimension == 0 && isOutside) {
      int64_t index = divideFloor(object.offset, all);
      object.text = object.operand() + "[" + itostr(index) + "]";
      object.isBehind = object.isUnary = false;
      object.offset -= index * int64_t(all);
      return true;
    }
    if (object.offset < 0)
      return false;
    if (auto *array = asArray(type)) {
      uint64_t stride = strideOf(*array, object.dimension);
      if (stride == 0 || object.offset % stride + size > stride)
        return false;
      uint64_t index = object.offset / stride;
      uint64_t count = countOf(*array, object.dimension);
      if (count != 0 && index >= count)
        return false;
      object.offset %= stride;
      enter(object, *array, Twine(index));
      return true;
    }
    if (!isRecord(type))
      return false;
    // A copy of all of it.
    if (moved == Moved::Bytes && object.offset == 0 && size >= all && !isPart)
      return false;
    const DIDerivedType *member = memberAt(*cast<DICompositeType>(type), object.offset, size, moved);
    if (!member)
      return false;
    object.offset -= member->getOffsetInBits() / 8;
    object.type = member->getBaseType();
    // Base classes and anonymous members are not written, nor the array in a `std::array`.
    if (member->getTag() == dwarf::DW_TAG_inheritance || member->getName().empty() || isArrayOfClass(*cast<DICompositeType>(type), *member))
      return true;
    // What a lambda has captured is written like the variable.
    object.isShared = false;
    object.isCaptured = object.text == "this" && cast<DICompositeType>(type)->getName().empty();
    object.text = object.isCaptured ? member->getName().str()
                             : object.operand() + (object.isBehind ? "->" : ".") + member->getName().str();
    object.isBehind = object.isUnary = false;
    return true;
  }

  static bool isArrayOfClass(const DICompositeType &record, const DIDerivedType &member) {
    return record.getName().starts_with("array<") && asArray(stripped(member.getBaseType())) &&
           (member.getName() == "_M_elems" || member.getName() == "__elems_");
  }

  /// Goes down to an object of a class, as the one that a method is called for; false if there is none at this offset.
  static bool descendTo(Object &object, const DIType *owner) {
    owner = stripped(owner);
    uint64_t size = sizeOf(owner);
    if (size == 0)
      return false;
    // Bases come first: an empty one is where the first member is.
    while (!hasBaseAt(object.type, object.offset, owner))
      if (!descend(object, size, Moved::Bytes, /*isPart=*/true))
        return false;
    object.type = owner;
    object.offset = 0;
    return true;
  }

  static int64_t divideFloor(int64_t number, int64_t by) { return number / by - (number % by < 0 ? 1 : 0); }

  // Calls and values.

  std::optional<Object> ofCall(const CallBase &call, unsigned deep) {
    const Function *callee = call.getCalledFunction();
    if (!callee)
      return std::nullopt;
    if (callee->getIntrinsicID() == Intrinsic::threadlocal_address)
      return pointee(call.getArgOperand(0), deep);
    if (callee->getName() == "__kmpc_threadprivate_cached" && call.arg_size() > 2)
      return pointee(call.getArgOperand(2), deep);
    const DISubprogram *subprogram = callee->getSubprogram();
    if (!subprogram || subprogram->getName().empty() || !subprogram->getType() || subprogram->getType()->getTypeArray().size() == 0)
      return std::nullopt;
    const DIType *type = stripped(subprogram->getType()->getTypeArray()[0]);
    if (!isPointer(type) && !isReference(type))
      return std::nullopt;
    Object object;
    object.isBehind = isPointer(type);
    object.type = cast<DIDerivedType>(type)->getBaseType();
    return called(object, call, *subprogram, deep) ? std::optional(object) : std::nullopt;
  }

  /// Writes a call as the source does.
  bool called(Object &object, const CallBase &call, const DISubprogram &subprogram, unsigned deep) {
    DITypeRefArray types = subprogram.getType()->getTypeArray();
    bool isMethod = types.size() > 1 && types[1] && types[1]->isObjectPointer();
    StringRef name = subprogram.getName().split('<').first;
    if (subprogram.getName().starts_with("operator"))
      name = subprogram.getName();
    std::string arguments;
    unsigned first = isMethod ? 1 : 0;
    for (unsigned at = first; at < call.arg_size(); ++at)
      arguments += (at > first ? ", " : "") + argument(call.getArgOperand(at), at + 1 < types.size() ? types[at + 1] : nullptr, deep);
    if (!isMethod) {
      object.text = (name + "(" + arguments + ")").str();
      return !name.starts_with("operator");
    }
    std::optional<Object> self = pointee(call.getArgOperand(0), deep);
    if (!self)
      return false;
    if (!descendTo(*self, pointed(types[1])))
      return false;
    const DIType *of = self->type;
    std::string whole = self->isBehind ? "(*" + self->operand() + ")" : self->operand();
    if (name == "operator[]" && call.arg_size() == 2) {
      const Value *index = call.getArgOperand(1);
      bool isValue = index->getType()->isIntegerTy();
      object.text = plain(whole) + "[" + (isValue && !isa<ConstantInt>(index) ? "{" + arguments + ":" + utostr(sizeOf(object.type)) + "}" : arguments) + "]";
      if (isValue && ownsBlock(stripped(of))) {
        object.kind = 'b';
        if (auto *constant = dyn_cast<ConstantInt>(index))
          object.fixed = constant->getSExtValue() * int64_t(sizeOf(object.type));
      }
      return true;
    }
    if (name == "operator()")
      object.text = plain(whole) + "(" + arguments + ")";
    else if (name == "operator->" && object.isBehind)
      object.text = plain(whole);
    else if (name == "operator*" && !object.isBehind)
      object.text = "*" + plain(whole), object.isUnary = true;
    else if (name.starts_with("operator"))
      return false;
    else
      object.text = plain(self->operand()) + (self->isBehind ? "->" : ".") + (name + "(" + arguments + ")").str();
    return true;
  }

  /// Whether the elements of a container are a block that its allocator got from `new`.
  static bool ownsBlock(const DIType *type) {
    auto *record = dyn_cast_or_null<DICompositeType>(type);
    if (!record || !record->getName().starts_with("vector<") || !record->getName().contains(", std::allocator<"))
      return false;
    auto *scope = dyn_cast_or_null<DINamespace>(record->getScope());
    while (scope && scope->getExportSymbols())
      scope = dyn_cast_or_null<DINamespace>(scope->getScope());
    return scope && scope->getName() == "std" && !isa_and_nonnull<DINamespace>(scope->getScope());
  }

  /// What a pointer or reference is to.
  static const DIType *pointed(const DIType *type) {
    type = stripped(type);
    return isPointer(type) || isReference(type) ? cast<DIDerivedType>(type)->getBaseType() : nullptr;
  }

  std::string argument(const Value *value, const DIType *type, unsigned deep) {
    if (!value->getType()->isPointerTy())
      return text(value, deep);
    std::optional<Object> object = pointee(value, deep);
    if (!object)
      return "...";
    if (isReference(stripped(type)) || !object->isBehind || object->offset != 0) {
      if (sizeOf(pointed(type)) == 0 ? object->offset != 0 : !descendTo(*object, pointed(type)))
        return "...";
      return (isReference(stripped(type)) ? "" : "&") + plain(object->whole());
    }
    return plain(object->text);
  }

  std::string text(const Value *value, unsigned deep) { return valueText(value, deep).first; }

  /// How strongly an operator binds, and how it is written.
  static std::pair<unsigned, StringRef> operatorOf(unsigned opcode) {
    switch (opcode) {
    case Instruction::Mul:
      return {6, " * "};
    case Instruction::SDiv:
    case Instruction::UDiv:
      return {6, " / "};
    case Instruction::SRem:
    case Instruction::URem:
      return {6, " % "};
    case Instruction::Add:
      return {5, " + "};
    case Instruction::Sub:
      return {5, " - "};
    case Instruction::Shl:
      return {4, " << "};
    case Instruction::AShr:
    case Instruction::LShr:
      return {4, " >> "};
    case Instruction::And:
      return {3, " & "};
    case Instruction::Xor:
      return {2, " ^ "};
    case Instruction::Or:
      return {1, " | "};
    default:
      return {0, ""};
    }
  }

  /// A number as the source computes it, and how strongly its outermost operator binds.
  std::pair<std::string, unsigned> valueText(const Value *value, unsigned deep) {
    constexpr unsigned Postfix = 8;
    const std::pair<std::string, unsigned> unknown = {"...", Postfix};
    if (auto *constant = dyn_cast<ConstantInt>(value))
      return {constant->getBitWidth() <= 64 ? itostr(constant->getSExtValue()) : "...", Postfix};
    if (deep == 0)
      return unknown;
    if (auto *load = dyn_cast<LoadInst>(value)) {
      std::optional<Object> object = pointee(load->getPointerOperand(), deep - 1);
      if (!object)
        return unknown;
      settle(*object, layout.getTypeStoreSize(load->getType()).getKnownMinValue(), movedBy(load->getType()));
      if (object->offset != 0)
        return unknown;
      return {plain(object->whole()), object->isBehind || object->isUnary ? 7u : Postfix};
    }
    if (auto *cast = dyn_cast<CastInst>(value); cast && !isa<PtrToIntInst>(cast))
      return valueText(cast->getOperand(0), deep - 1);
    if (auto *operation = dyn_cast<BinaryOperator>(value)) {
      auto [binds, symbol] = operatorOf(operation->getOpcode());
      if (binds == 0)
        return unknown;
      auto [left, leftBinds] = valueText(operation->getOperand(0), deep - 1);
      auto *constant = dyn_cast<ConstantInt>(operation->getOperand(1));
      if (operation->getOpcode() == Instruction::Add && constant && constant->isNegative() && constant->getBitWidth() <= 64)
        return {(leftBinds < binds ? "(" + left + ")" : left) + " - " + utostr(-uint64_t(constant->getSExtValue())), binds};
      auto [right, rightBinds] = valueText(operation->getOperand(1), deep - 1);
      return {(leftBinds < binds ? "(" + left + ")" : left) + symbol.str() + (rightBinds <= binds ? "(" + right + ")" : right), binds};
    }
    if (auto *call = dyn_cast<CallBase>(value)) {
      const Function *callee = call->getCalledFunction();
      const DISubprogram *subprogram = callee ? callee->getSubprogram() : nullptr;
      Object object;
      if (subprogram && subprogram->getType() && called(object, *call, *subprogram, deep - 1))
        return {plain(object.text), Postfix};
    }
    return unknown;
  }
};

} // namespace

PathOf pathsIn(const Function &function) {
  auto lvalues = std::make_shared<Lvalues>(function);
  return [lvalues](const Value *address, uint64_t size, Moved moved) { return lvalues->path(address, size, moved); };
}

} // namespace raceproof
