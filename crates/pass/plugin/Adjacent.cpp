// Pieces of one access.
//
// `a = b` of two structures is one access of the source, and a load for each field by the time it is marked. What has the same place in the source, stands
// in one step and block, and is of bytes beside each other is marked at once: half the checks, and in a loop over an array no gaps between its elements.

#include "Adjacent.h"
#include "Access.h"

#include "llvm/IR/DebugLoc.h"

using namespace llvm;

namespace raceproof {

namespace {

/// A marker, and what it is of.
struct Piece {
  Access access;
  Bytes bytes;

  /// Whether this one begins where the other ends, and both make up what the runtime has an entry point for.
  bool follows(const Piece &other) const {
    return bytes.base == other.bytes.base && bytes.first == other.bytes.first + int64_t(other.bytes.size) &&
           bytes.size == other.bytes.size && 2 * bytes.size <= 16;
  }

  /// Whether the source has one access for both.
  bool isOf(const Piece &other) const {
    const DebugLoc &here = access.call->getDebugLoc(), &there = other.access.call->getDebugLoc();
    return access.kind == other.access.kind && isSamePlace(here, there) && here.getLine() != 0 &&
           here.getInlinedAt() == there.getInlinedAt();
  }
};

class Adjacent {
  const Steps &steps;
  /// Of the step under way.
  SmallVector<Piece> pieces;
  bool joined = false;

public:
  explicit Adjacent(const Steps &steps) : steps(steps) {}

  bool run(BasicBlock &block) {
    for (Instruction &instruction : make_early_inc_range(block)) {
      if (steps.end(instruction))
        pieces.clear();
      else if (auto access = accessOf(instruction))
        if (auto bytes = bytesOf(*access))
          add({*access, *bytes});
    }
    return joined;
  }

private:
  void add(Piece piece) {
    for (auto other = pieces.begin(); other != pieces.end(); ++other) {
      bool isSecond = piece.follows(*other);
      if (!(isSecond || other->follows(piece)) || !piece.isOf(*other))
        continue;
      const Piece first = isSecond ? *other : piece;
      Value *size = ConstantInt::get(piece.access.size()->getType(), 2 * piece.bytes.size);
      // Where both addresses are known.
      CallInst *both = mark(piece.access.call, first.access.address(), size, first.access.alignment(), piece.access.kind,
                            first.access.call->getDebugLoc());
      piece.access.call->eraseFromParent();
      other->access.call->eraseFromParent();
      pieces.erase(other);
      joined = true;
      Bytes bytes = {first.bytes.base, first.bytes.first, 2 * first.bytes.size};
      return add({*accessOf(*both), bytes});
    }
    pieces.push_back(piece);
  }
};

} // namespace

bool joinAdjacent(Function &function, const Steps &steps) {
  bool joined = false;
  for (BasicBlock &block : function)
    joined |= Adjacent(steps).run(block);
  return joined;
}

} // namespace raceproof
