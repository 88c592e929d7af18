// Pieces of one access.
//
// `a = b` of two structures is one access of the source, and a load for each field by the time it is marked. What has the same place in the source, stands
// in one step and block, and is of bytes beside each other is marked at once: half the checks, and in a loop over an array no gaps between its elements.

#include "Adjacent.h"
#include "Access.h"

#include "llvm/IR/DebugInfoMetadata.h"

using namespace llvm;

namespace raceproof {

namespace {

/// A marker, and the bytes at a fixed distance from a value that it is of.
struct Piece {
  Access access;
  const Value *base;
  int64_t first;
  uint64_t size;

  /// Whether this one begins where the other ends, and both make up what the runtime has an entry point for.
  bool follows(const Piece &other) const {
    return base == other.base && first == other.first + int64_t(other.size) && size == other.size && 2 * size <= 16;
  }
};

bool isSamePlace(const DebugLoc &one, const DebugLoc &other) {
  return one && other && one.getLine() != 0 && one.getLine() == other.getLine() && one.getCol() == other.getCol() &&
         one->getScope()->getSubprogram() == other->getScope()->getSubprogram() && one.getInlinedAt() == other.getInlinedAt();
}

class Adjacent {
  const Steps &steps;
  const DataLayout &layout;
  /// Of the step under way.
  SmallVector<Piece> pieces;
  bool joined = false;

public:
  Adjacent(Function &function, const Steps &steps) : steps(steps), layout(function.getParent()->getDataLayout()) {}

  bool run(BasicBlock &block) {
    for (Instruction &instruction : make_early_inc_range(block)) {
      if (steps.end(instruction))
        pieces.clear();
      else if (auto access = accessOf(instruction); access && access->dimensions == 0 && access->fixedSize())
        add(pieceOf(*access));
    }
    return joined;
  }

private:
  Piece pieceOf(const Access &access) {
    APInt offset(64, 0);
    const Value *base = access.address()->stripAndAccumulateConstantOffsets(layout, offset, true);
    return {access, base, offset.getSExtValue(), *access.fixedSize()};
  }

  void add(Piece piece) {
    for (auto other = pieces.begin(); other != pieces.end(); ++other) {
      bool isSecond = piece.follows(*other);
      if (piece.access.kind != other->access.kind || !(isSecond || other->follows(piece)) ||
          !isSamePlace(piece.access.call->getDebugLoc(), other->access.call->getDebugLoc()))
        continue;
      const Piece &first = isSecond ? *other : piece;
      Value *size = ConstantInt::get(piece.access.size()->getType(), 2 * piece.size);
      // Where both addresses are known.
      CallInst *both = mark(piece.access.call, first.access.address(), size, first.access.alignment(), piece.access.kind,
                            first.access.call->getDebugLoc());
      piece.access.call->eraseFromParent();
      other->access.call->eraseFromParent();
      pieces.erase(other);
      joined = true;
      return add(pieceOf(*accessOf(*both)));
    }
    pieces.push_back(piece);
  }
};

} // namespace

bool joinAdjacent(Function &function, const Steps &steps) {
  bool joined = false;
  for (BasicBlock &block : function)
    joined |= Adjacent(function, steps).run(block);
  return joined;
}

} // namespace raceproof
