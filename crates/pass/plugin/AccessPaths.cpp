#include "AccessPaths.h"
#include "Lvalues.h"

#include "llvm/ADT/DenseSet.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include <set>

using namespace llvm;

namespace raceproof {

namespace {

/// Names of metadata: the path of an instruction, and all paths of a module.
constexpr StringRef PathKind = "raceproof.path", AllPaths = "raceproof.paths";

uint32_t hashOf(StringRef text) {
  // FNV-1a; the reader computes the same. 28 bits take four bytes in the line table; 0 is a location without a path.
  uint32_t hash = 2166136261u;
  for (char c : text)
    hash = (hash ^ uint8_t(c)) * 16777619u;
  hash = (hash >> 28) ^ (hash & 0xfffffff);
  return hash == 0 ? 1 : hash;
}

/// The location of an instruction, with a path. The text is kept until it is known which are left.
DebugLoc withPath(const Instruction &access, StringRef path) {
  const DebugLoc &location = access.getDebugLoc();
  if (!location || (path.empty() && location->getDiscriminator() == 0))
    return location;
  // That of a copy may have the path of its other end.
  if (path.empty())
    return DebugLoc(location->cloneWithDiscriminator(0));
  LLVMContext &context = access.getContext();
  NamedMDNode *all = const_cast<Module *>(access.getModule())->getOrInsertNamedMetadata(AllPaths);
  all->addOperand(MDNode::get(context, {MDString::get(context, path)}));
  return DebugLoc(location->cloneWithDiscriminator(hashOf(path)));
}

void describe(Function &function) {
  PathOf pathOf = pathsIn(function);
  const DataLayout &layout = function.getParent()->getDataLayout();
  for (Instruction &instruction : instructions(function)) {
    if (!instruction.getDebugLoc())
      continue;
    SmallVector<Metadata *, 2> paths;
    auto keep = [&](const Value *address, uint64_t size, Moved moved) {
      paths.push_back(MDString::get(function.getContext(), pathOf(address, size, moved)));
    };
    auto add = [&](const Value *address, Type *type) {
      TypeSize size = layout.getTypeStoreSize(type);
      keep(address, size.isScalable() ? 0 : size.getFixedValue(), movedBy(type));
    };
    if (auto *load = dyn_cast<LoadInst>(&instruction))
      add(load->getPointerOperand(), load->getType());
    else if (auto *store = dyn_cast<StoreInst>(&instruction))
      add(store->getPointerOperand(), store->getValueOperand()->getType());
    else if (auto *update = dyn_cast<AtomicRMWInst>(&instruction))
      add(update->getPointerOperand(), update->getType());
    else if (auto *exchange = dyn_cast<AtomicCmpXchgInst>(&instruction))
      add(exchange->getPointerOperand(), exchange->getNewValOperand()->getType());
    else if (auto *copy = dyn_cast<MemIntrinsic>(&instruction)) {
      auto *length = dyn_cast<ConstantInt>(copy->getLength());
      uint64_t size = length ? length->getZExtValue() : UINT32_MAX;
      keep(copy->getRawDest(), size, Moved::Bytes);
      if (auto *transfer = dyn_cast<MemTransferInst>(copy)) {
        keep(transfer->getRawSource(), size, Moved::Bytes);
        // If one end becomes registers, what is left of the copy has nothing but its location, and is of the other end.
        bool isToLocal = isa<AllocaInst>(getUnderlyingObject(copy->getRawDest()));
        if (isToLocal != isa<AllocaInst>(getUnderlyingObject(transfer->getRawSource())))
          copy->setDebugLoc(withPath(*copy, cast<MDString>(paths[isToLocal ? 1 : 0])->getString()));
      }
    }
    bool isTold = any_of(paths, [](Metadata *path) { return !cast<MDString>(path)->getString().empty(); });
    if (isTold)
      instruction.setMetadata(PathKind, MDNode::get(function.getContext(), paths));
  }
}

} // namespace

PreservedAnalyses DescribeAccesses::run(Module &module, ModuleAnalysisManager &) {
  for (Function &function : module)
    if (!function.isDeclaration() && function.hasFnAttribute(Attribute::SanitizeThread) && function.getSubprogram())
      describe(function);
  return PreservedAnalyses::all();
}

DebugLoc locationWithPath(const Instruction &access, CopyEnd end) {
  MDNode *paths = access.getMetadata(PathKind);
  if (!paths || paths->getNumOperands() <= unsigned(end))
    return access.getDebugLoc();
  return withPath(access, cast<MDString>(paths->getOperand(unsigned(end)))->getString());
}

void forgetPaths(Instruction &access) { access.setMetadata(PathKind, nullptr); }

void emitPaths(Module &module) {
  NamedMDNode *all = module.getNamedMetadata(AllPaths);
  if (!all)
    return;
  DenseSet<unsigned> left;
  for (const Function &function : module)
    for (const Instruction &instruction : instructions(function))
      if (const DebugLoc &location = instruction.getDebugLoc(); location && location->getDiscriminator() != 0)
        left.insert(location->getDiscriminator());
  std::set<StringRef> texts;
  for (const MDNode *path : all->operands()) {
    StringRef text = cast<MDString>(path->getOperand(0))->getString();
    if (left.contains(hashOf(text)))
      texts.insert(text);
  }
  all->eraseFromParent();
  if (texts.empty())
    return;
  std::string section = ".pushsection .raceproof.paths,\"MS\",@progbits,1\n";
  for (StringRef text : texts)
    section += (".asciz \"" + text + "\"\n").str();
  module.appendModuleInlineAsm(section + ".popsection\n");
}

} // namespace raceproof
