#include "Eliminate.h"
#include "Access.h"
#include "Adjacent.h"
#include "Ordered.h"
#include "Ranges.h"
#include "Redundant.h"
#include "Steps.h"

#include "llvm/IR/InstIterator.h"
#include "llvm/Transforms/Utils/LoopSimplify.h"

using namespace llvm;

namespace raceproof {

static bool hasMarkers(Function &function) {
  return any_of(instructions(function), [](const Instruction &instruction) { return isMarker(instruction); });
}

PreservedAnalyses EliminateRedundant::run(Function &function, FunctionAnalysisManager &) {
  if (!hasMarkers(function) || !removeRedundant(function, Steps()))
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
    functions.invalidate(function, PreservedAnalyses::none());
  }
  steps.keepAssumptions(module);
  return PreservedAnalyses::none();
}

} // namespace raceproof
