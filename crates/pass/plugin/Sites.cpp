// Accesses that stand for each other: to the same bytes, in one step, and if one of them is made so are the others.
//
// Of such accesses the detector checks one, by what Redundant.cpp leaves and by its own fast path. Whatever races with that races with the others as
// far as it conflicts with them, and a report names all pairs: the section `.raceproof.sites` has a string for each function with
//
//   file TAB function TAB site ' ' site … TAB site ' ' site …
//
// where a site is `r` or `w` for its kind, line `:` column, and `?` before it if another access of the function has the same, as in a macro: then nobody
// knows which of the two was meant. It is computed before anything is optimised, so that it is true of every copy of a function, in every unit: blocks are
// those of the source. That a loop between two accesses ends is taken for granted.

#include "Sites.h"
#include "Access.h"
#include "Steps.h"

#include "llvm/ADT/PostOrderIterator.h"
#include "llvm/Analysis/AliasAnalysis.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/PostDominators.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/Support/Path.h"
#include <map>
#include <tuple>

using namespace llvm;

namespace raceproof {

namespace {

/// How deep the computation of an address is compared, and with how many others: what is beyond is not known to be the same.
constexpr unsigned Deep = 8, Many = 64;

using Site = std::tuple<unsigned, unsigned, Kind>;

/// On a marker: its group, if a report can tell which one that is.
constexpr StringRef GroupKind = "raceproof.group";

class Sites {
  struct Member {
    Access access;
    uint64_t size;
    unsigned group;
  };

  Function &function;
  AAResults &aliases;
  DominatorTree dominators;
  PostDominatorTree postDominators;
  LoopInfo loops;
  Steps steps;
  /// What a block that is made whenever another was goes on with, in the same step.
  DenseMap<const BasicBlock *, SmallVector<Member>> inherited;
  DenseMap<const Instruction *, unsigned> position;
  /// All groups of accesses that are known to stand for each other, also of one.
  SmallVector<SmallVector<Site, 2>> groups;
  SmallVector<std::tuple<Instruction *, Site, unsigned>> markers;

public:
  Sites(Function &function, AAResults &aliases)
      : function(function), aliases(aliases), dominators(function), postDominators(function), loops(dominators) {}

  std::string text() {
    DISubprogram *program = function.getSubprogram();
    if (!program)
      return "";
    for (BasicBlock *block : ReversePostOrderTraversal<Function *>(&function)) {
      position.clear();
      for (Instruction &instruction : *block)
        position[&instruction] = position.size();
      group(*block);
    }
    std::map<Site, unsigned> count;
    for (auto &group : groups)
      for (const Site &site : group)
        ++count[site];
    SmallVector<MDNode *> nodes(groups.size());
    for (auto [marker, site, group] : markers) {
      if (groups[group].size() < 2 || count[site] > 1)
        continue;
      if (!nodes[group])
        nodes[group] = MDNode::getDistinct(function.getContext(), {});
      marker->setMetadata(GroupKind, nodes[group]);
    }
    std::string text;
    for (auto &group : groups) {
      if (group.size() < 2)
        continue;
      StringRef separator = "\\t";
      for (const auto &[line, column, kind] : group) {
        text += separator;
        separator = " ";
        if (count[{line, column, kind}] > 1)
          text += "?";
        text += (kind == Kind::Write ? "w" : "r") + std::to_string(line) + ":" + std::to_string(column);
      }
    }
    if (text.empty())
      return "";
    StringRef name = program->getLinkageName().empty() ? program->getName() : program->getLinkageName();
    return (sys::path::filename(program->getFilename()) + "\\t" + name + text).str();
  }

private:
  /// Whether a step may end here, or what follows be left undone by a call that does not return.
  bool endsHere(const Instruction &instruction) const {
    return steps.end(instruction) || (!isMarker(instruction) && !isGuaranteedToTransferExecutionToSuccessor(&instruction));
  }

  /// The block that is made whenever this one was, and no other way, without the end of a step between them; none if there is no such.
  BasicBlock *next(BasicBlock &block) {
    auto *node = postDominators.getNode(&block);
    auto *after = node && node->getIDom() ? node->getIDom()->getBlock() : nullptr;
    if (!after || !dominators.dominates(&block, after) || loops.getLoopFor(after) != loops.getLoopFor(&block))
      return nullptr;
    SmallVector<BasicBlock *> work(successors(&block));
    SmallPtrSet<BasicBlock *, 16> seen = {after};
    while (!work.empty()) {
      BasicBlock *between = work.pop_back_val();
      if (!seen.insert(between).second)
        continue;
      if (between == &block || seen.size() > Many || any_of(*between, [&](const Instruction &i) { return endsHere(i); }))
        return nullptr;
      append_range(work, successors(between));
    }
    return after;
  }

  void group(BasicBlock &block) {
    SmallVector<Member> first = std::move(inherited[&block]);
    for (Instruction &instruction : block) {
      if (endsHere(instruction)) {
        first.clear();
        continue;
      }
      auto access = accessOf(instruction);
      auto size = access && access->dimensions == 0 ? access->fixedSize() : std::nullopt;
      const DILocation *at = instruction.getDebugLoc().get();
      if (!size || !at || at->getLine() == 0 || at->getInlinedAt() || at->getScope()->getSubprogram() != function.getSubprogram() ||
          at->getFilename() != function.getSubprogram()->getFilename())
        continue;
      Site site{at->getLine(), at->getColumn(), access->kind};
      auto *same = find_if(first, [&](const Member &other) {
        return other.size == *size && isSame(other.access.address(), access->address(), 0);
      });
      markers.push_back({&instruction, site, same == first.end() ? unsigned(groups.size()) : same->group});
      if (same == first.end()) {
        if (first.size() < Many)
          first.push_back({*access, *size, unsigned(groups.size())});
        groups.push_back({site});
      } else if (!is_contained(groups[same->group], site)) {
        groups[same->group].push_back(site);
      }
    }
    if (BasicBlock *after = first.empty() ? nullptr : next(block))
      inherited[after] = std::move(first);
  }

  /// Whether two values, computed in one block, are evidently the same.
  bool isSame(const Value *one, const Value *other, unsigned depth) {
    if (one == other)
      return true;
    auto *a = dyn_cast<Instruction>(one), *b = dyn_cast<Instruction>(other);
    if (!a || !b || depth == Deep || !a->isSameOperationAs(b))
      return false;
    if (!isa<LoadInst, GetElementPtrInst, CastInst, BinaryOperator>(a))
      return false;
    for (unsigned at = 0; at < a->getNumOperands(); ++at)
      if (!isSame(a->getOperand(at), b->getOperand(at), depth + 1))
        return false;
    return !isa<LoadInst>(a) || isUnchanged(*cast<LoadInst>(a), *cast<LoadInst>(b));
  }

  /// Whether nothing between two loads of the same bytes changes them.
  bool isUnchanged(const LoadInst &first, const LoadInst &second) {
    if (!first.isSimple() || !second.isSimple() || first.getParent() != second.getParent() ||
        !position.count(&first) || !position.count(&second) || position[&second] < position[&first])
      return false;
    MemoryLocation bytes = MemoryLocation::get(&second);
    for (const Instruction *at = first.getNextNode(); at != &second; at = at->getNextNode())
      if (!isMarker(*at) && isModSet(aliases.getModRefInfo(at, bytes)))
        return false;
    return true;
  }
};

} // namespace

bool areNamedTogether(const Instruction &one, const Instruction &other) {
  const MDNode *group = one.getMetadata(GroupKind);
  if (group && group == other.getMetadata(GroupKind))
    return true;
  // Without places there is nothing to name.
  if (!one.getDebugLoc() || !other.getDebugLoc())
    return true;
  return isSamePlace(one.getDebugLoc(), other.getDebugLoc()) && calledName(one) == calledName(other);
}

void noteSites(Module &module, ModuleAnalysisManager &analyses) {
  auto &functions = analyses.getResult<FunctionAnalysisManagerModuleProxy>(module).getManager();
  std::string text;
  for (Function &function : module) {
    if (function.isDeclaration() || none_of(instructions(function), [](const Instruction &i) { return isMarker(i); }))
      continue;
    functions.invalidate(function, PreservedAnalyses::none());
    std::string sites = Sites(function, functions.getResult<AAManager>(function)).text();
    if (!sites.empty())
      text += ".asciz \"" + sites + "\"\n";
  }
  // Units that share a header say the same of it: the linker keeps one.
  if (!text.empty())
    module.appendModuleInlineAsm(".pushsection .raceproof.sites,\"MS\",@progbits,1\n" + text + ".popsection\n");
}

} // namespace raceproof
