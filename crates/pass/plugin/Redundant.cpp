// Redundant-check elimination.
//
// The detector needs one check for each step, location and kind of access. Forwards, a marker goes if on every path to it the same step has
// marked the same bytes, as a write if it is one: availability, as for common subexpressions. Backwards, a read goes if its block writes the same
// bytes later in the step: whatever races with the read races with the write.
//
// A report that names the one that is left names others with it (Sites.cpp). Those that it would not name are kept for the run that looks for all pairs.

#include "Redundant.h"
#include "Access.h"
#include "Sites.h"

#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/PostOrderIterator.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/InstIterator.h"

using namespace llvm;

namespace raceproof {

namespace {

/// What a step may have marked.
struct Fact {
  Bytes bytes;
  Kind kind;

  /// Whether marking these leaves nothing to say of others.
  bool cover(const Fact &other) const {
    return bytes.base == other.bytes.base && bytes.first <= other.bytes.first &&
           bytes.first + int64_t(bytes.size) >= other.bytes.first + int64_t(other.bytes.size) &&
           (kind == Kind::Write || other.kind == Kind::Read);
  }
};

/// Bits of a function beyond which only what stands in one block is compared.
constexpr size_t Most = size_t(1) << 28;

class Redundant {
  Function &function;
  const Steps &steps;
  SmallVector<Fact> facts;
  DenseMap<const Instruction *, unsigned> factOf;
  /// The facts about a value: they end where it is computed anew.
  DenseMap<const Value *, SmallVector<unsigned, 4>> about;
  DenseMap<const BasicBlock *, BitVector> after;
  SmallVector<Instruction *> removed, kept;
  bool isOfBlocks;

public:
  Redundant(Function &function, const Steps &steps, bool isOfBlocks)
      : function(function), steps(steps), isOfBlocks(isOfBlocks) {}

  bool run() {
    collect();
    if (facts.empty())
      return false;
    backwards();
    forwards();
    for (Instruction *marker : removed)
      marker->eraseFromParent();
    for (Instruction *marker : kept)
      keepForPairs(*accessOf(*marker));
    return !removed.empty() || !kept.empty();
  }

private:
  void collect() {
    DenseMap<std::pair<const Value *, std::pair<int64_t, uint64_t>>, unsigned> numbers[2];
    for (Instruction &instruction : instructions(function)) {
      auto access = accessOf(instruction);
      auto bytes = access ? bytesOf(*access) : std::nullopt;
      if (!bytes)
        continue;
      auto &of = numbers[access->kind == Kind::Write];
      auto [found, isNew] = of.try_emplace({bytes->base, {bytes->first, bytes->size}}, facts.size());
      if (isNew) {
        about[bytes->base].push_back(facts.size());
        facts.push_back({*bytes, access->kind});
      }
      factOf[&instruction] = found->second;
    }
  }

  void backwards() {
    for (BasicBlock &block : function) {
      SmallVector<std::pair<unsigned, Instruction *>> written;
      for (Instruction &instruction : reverse(block)) {
        if (steps.end(instruction)) {
          written.clear();
          continue;
        }
        auto found = factOf.find(&instruction);
        if (found == factOf.end())
          continue;
        const Fact &fact = facts[found->second];
        if (fact.kind == Kind::Write)
          written.push_back({found->second, &instruction});
        else if (drop(instruction, written, fact))
          factOf.erase(found);
      }
    }
  }

  /// Whether a marker goes, since others in its block cover it.
  bool drop(Instruction &marker, ArrayRef<std::pair<unsigned, Instruction *>> others, const Fact &fact) {
    bool isCovered = false;
    for (auto [covering, other] : others)
      if (facts[covering].cover(fact)) {
        isCovered = true;
        if (areNamedTogether(marker, *other)) {
          removed.push_back(&marker);
          return true;
        }
      }
    if (!isCovered || isOfBlocks)
      return false;
    kept.push_back(&marker);
    return true;
  }

  void forwards() {
    ReversePostOrderTraversal<Function *> order(&function);
    bool isSmall = !isOfBlocks && facts.size() * function.size() <= Most;
    if (isSmall) {
      // Everything, until a path shows otherwise.
      for (BasicBlock *block : order)
        after[block] = BitVector(facts.size(), true);
      for (bool changed = true; changed;) {
        changed = false;
        for (BasicBlock *block : order) {
          BitVector here = before(block);
          pass(*block, here, false);
          if (here != after[block]) {
            after[block] = std::move(here);
            changed = true;
          }
        }
      }
    }
    for (BasicBlock *block : order) {
      BitVector here = isSmall ? before(block) : BitVector(facts.size());
      pass(*block, here, true);
    }
  }

  BitVector before(BasicBlock *block) {
    if (block->isEntryBlock())
      return BitVector(facts.size());
    BitVector here(facts.size(), true);
    for (BasicBlock *from : predecessors(block))
      if (auto found = after.find(from); found != after.end())
        here &= found->second;
    return here;
  }

  void pass(BasicBlock &block, BitVector &here, bool isLast) {
    // What this block itself has marked in its step.
    SmallVector<std::pair<unsigned, Instruction *>> inBlock;
    for (Instruction &instruction : block) {
      if (auto found = about.find(&instruction); found != about.end())
        for (unsigned fact : found->second)
          here.reset(fact);
      if (steps.end(instruction)) {
        here.reset();
        inBlock.clear();
        continue;
      }
      auto found = factOf.find(&instruction);
      if (found == factOf.end())
        continue;
      if (isLast) {
        if (!drop(instruction, inBlock, facts[found->second]) && !isOfBlocks && isCovered(found->second, here))
          kept.push_back(&instruction);
        inBlock.push_back({found->second, &instruction});
      }
      here.set(found->second);
    }
  }

  bool isCovered(unsigned fact, const BitVector &here) {
    return any_of(about[facts[fact].bytes.base],
                  [&](unsigned other) { return here.test(other) && facts[other].cover(facts[fact]); });
  }
};

} // namespace

bool removeRedundant(Function &function, const Steps &steps) { return Redundant(function, steps, false).run(); }

bool removeRedundantInBlocks(Function &function, const Steps &steps) { return Redundant(function, steps, true).run(); }

} // namespace raceproof
