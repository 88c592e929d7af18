#include "Eliminate.h"
#include "Access.h"
#include "Ordered.h"
#include "Ranges.h"
#include "Redundant.h"
#include "Steps.h"

#include "llvm/IR/InstIterator.h"
#include "llvm/Transforms/Utils/LoopSimplify.h"

using namespace llvm;

namespace raceproof {

PreservedAnalyses EliminateChecks::run(Module &module, ModuleAnalysisManager &analyses) {
  removeOrdered(module);
  auto &functions = analyses.getResult<FunctionAnalysisManagerModuleProxy>(module).getManager();
  Steps steps(module, [&](Function &function) -> const TargetLibraryInfo & {
    return functions.getResult<TargetLibraryAnalysis>(function);
  });
  for (Function &function : module) {
    if (function.isDeclaration() ||
        none_of(instructions(function), [](const Instruction &i) { return isMarker(i); }))
      continue;
    removeRedundant(function, steps);
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
