#include "Eliminate.h"
#include "Access.h"
#include "Adjacent.h"
#include "Iterations.h"
#include "Ordered.h"
#include "Ranges.h"
#include "Redundant.h"
#include "Steps.h"

#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/Transforms/Utils/LoopSimplify.h"

using namespace llvm;

namespace raceproof {

static bool hasMarkers(Function &function) {
  return any_of(instructions(function), [](const Instruction &instruction) { return isMarker(instruction); });
}

/// Removes markers that are kept for pairs in loops without others: there they would cost more than all checks.
static void removeIdle(Function &function, const LoopInfo &loops) {
  SmallPtrSet<const Loop *, 8> busy;
  for (Instruction &instruction : instructions(function))
    if (accessOf(instruction))
      busy.insert(loops.getLoopFor(instruction.getParent()));
  for (Instruction &instruction : make_early_inc_range(instructions(function)))
    if (const Loop *loop = loops.getLoopFor(instruction.getParent()); loop && accessForPairs(instruction) && !busy.contains(loop))
      instruction.eraseFromParent();
}

PreservedAnalyses EliminateRedundant::run(Function &function, FunctionAnalysisManager &analyses) {
  if (!hasMarkers(function))
    return PreservedAnalyses::all();
  bool removed = removeRedundantInBlocks(function, Steps());
  removed |= removeIdleIterations(function, analyses.getResult<LoopAnalysis>(function));
  if (!removed)
    return PreservedAnalyses::all();
  PreservedAnalyses preserved;
  preserved.preserveSet<CFGAnalyses>();
  return preserved;
}

PreservedAnalyses EliminateChecks::run(Module &module, ModuleAnalysisManager &analyses) {
  removeOrdered(module);
  auto &functions = analyses.getResult<FunctionAnalysisManagerModuleProxy>(module).getManager();
  Steps steps(module, [&](Function &function) -> const TargetLibraryInfo & {
    return functions.getResult<TargetLibraryAnalysis>(function);
  });
  for (Function &function : module) {
    if (function.isDeclaration() || !hasMarkers(function))
      continue;
    removeRedundant(function, steps);
    joinAdjacent(function, steps);
    if (ofLoops && !function.hasOptNone()) {
      functions.invalidate(function, LoopSimplifyPass().run(function, functions));
      if (moveOutOfLoops(function, steps, functions)) {
        functions.invalidate(function, PreservedAnalyses::none());
        removeRedundant(function, steps);
      }
    }
    auto &loops = functions.getResult<LoopAnalysis>(function);
    removeIdle(function, loops);
    removeIdleIterations(function, loops);
    functions.invalidate(function, PreservedAnalyses::none());
  }
  steps.keepAssumptions(module);
  return PreservedAnalyses::none();
}

} // namespace raceproof
