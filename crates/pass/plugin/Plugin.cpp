// Where the visits stand in clang's pipeline.

#include "Access.h"
#include "AccessPaths.h"
#include "Eliminate.h"
#include "Fortran.h"
#include "Iterations.h"
#include "Lanes.h"
#include "Mark.h"
#include "Spins.h"
#include "Variables.h"

#include "llvm/Passes/PassBuilder.h"
#include "llvm/Passes/PassPlugin.h"
#include "llvm/Transforms/Instrumentation/ThreadSanitizer.h"
#include "llvm/Transforms/Scalar/SROA.h"
#include <cstdlib>
#include <dlfcn.h>

using namespace llvm;

namespace raceproof {

/// Leaves a symbol in a unit that tests locks, or waits for them with a limit: `verify` then explores where between taking and
/// releasing a lock such a test comes (`crates/native/src/tasks/locks.rs`).
static void markTestsOfLocks(Module &module) {
  static const char Symbol[] = "__raceproof_tests_locks";
  for (StringRef test : {"pthread_mutex_trylock", "pthread_mutex_timedlock", "pthread_mutex_clocklock", "pthread_spin_trylock", "mtx_trylock", "mtx_timedlock",
                         "omp_test_lock", "omp_test_nest_lock"}) {
    const Function *function = module.getFunction(test);
    if (!function || !function->isDeclaration() || module.getNamedValue(Symbol))
      continue;
    Type *byte = Type::getInt8Ty(module.getContext());
    new GlobalVariable(module, byte, true, GlobalValue::WeakAnyLinkage, ConstantInt::get(byte, 1), Symbol);
  }
}

/// Has calls of `pthread_barrier_wait` whose result the program does not use go to another entry point: the result says who came last, which the
/// schedule decides (`crates/native/src/tasks/monitors.rs`).
static void markUnusedResults(Module &module) {
  Function *wait = module.getFunction("pthread_barrier_wait");
  if (!wait || !wait->isDeclaration())
    return;
  FunctionCallee meet = module.getOrInsertFunction("__raceproof_barrier_meet", wait->getFunctionType());
  for (User *user : make_early_inc_range(wait->users()))
    if (auto *call = dyn_cast<CallBase>(user); call && call->getCalledFunction() == wait && call->use_empty() && !call->isMustTailCall())
      call->setCalledFunction(meet);
}

struct LowerMarkers : PassInfoMixin<LowerMarkers> {
  bool inlines;
  explicit LowerMarkers(bool inlines) : inlines(inlines) {}
  PreservedAnalyses run(Module &module, ModuleAnalysisManager &analyses) {
    auto &functions = analyses.getResult<FunctionAnalysisManagerModuleProxy>(module).getManager();
    markTestsOfLocks(module);
    markUnusedResults(module);
    return lower(module, inlines ? &functions : nullptr) ? PreservedAnalyses::none() : PreservedAnalyses::all();
  }
  static bool isRequired() { return true; }
};

/// Whether checks may go: `RACEPROOF_CHECK_ELIMINATION=off` keeps all of them.
static bool eliminates() {
  const char *value = std::getenv("RACEPROOF_CHECK_ELIMINATION");
  return !value || (StringRef(value) != "off" && StringRef(value) != "0");
}

/// Whether the compiler is flang, which has no ThreadSanitizer: no function is marked as one to instrument, and no pass comes after
/// ours for atomic accesses, calls and the unit's constructor. The driver says it.
static bool isFlang() { return std::getenv("RACEPROOF_FLANG_UNIT") != nullptr; }

/// Whether debug information is there for reports only: the driver says it where the user has not asked for it.
static bool isForReports() { return std::getenv("RACEPROOF_DEBUG_FOR_REPORTS") != nullptr; }

/// What is known of a unit goes into sections by inline assembly (Sites.cpp), and flang, which needs none, has not got its parser ready.
static void prepareAssembler() {
  if (void *prepare = dlsym(RTLD_DEFAULT, "LLVMInitializeX86AsmParser"))
    reinterpret_cast<void (*)()>(prepare)();
}

static void registerPasses(PassBuilder &builder) {
  if (isFlang())
    prepareAssembler();
  builder.registerPipelineStartEPCallback([](ModulePassManager &passes, OptimizationLevel level, auto...) {
    // What flang says of its simd loops has not been looked at, and its variables are named from the source.
    if (isFlang()) {
      passes.addPass(PrepareFortran());
    } else {
      passes.addPass(DescribeAccesses());
      passes.addPass(createModuleToFunctionPassAdaptor(MarkLanes()));
    }
    passes.addPass(createModuleToFunctionPassAdaptor(MarkIterations()));
    if (level != OptimizationLevel::O0)
      passes.addPass(createModuleToFunctionPassAdaptor(SROAPass(SROAOptions::PreserveCFG)));
    if (isForReports())
      passes.addPass(createModuleToFunctionPassAdaptor(DropRegisterVariables()));
    passes.addPass(MarkAccesses());
  });
  builder.registerPeepholeEPCallback(
      [](FunctionPassManager &passes, OptimizationLevel, auto...) {
        passes.addPass(DropPrivate());
        if (eliminates())
          passes.addPass(EliminateRedundant());
      });
  builder.registerOptimizerEarlyEPCallback([](ModulePassManager &passes, OptimizationLevel level, auto...) {
    passes.addPass(createModuleToFunctionPassAdaptor(DropPrivate()));
    if (level != OptimizationLevel::O0)
      passes.addPass(createModuleToFunctionPassAdaptor(HoistLanes()));
    if (eliminates())
      passes.addPass(EliminateChecks(level != OptimizationLevel::O0));
  });
  builder.registerOptimizerLastEPCallback([](ModulePassManager &passes, OptimizationLevel level, auto...) {
    if (isForReports())
      passes.addPass(createModuleToFunctionPassAdaptor(DropRegisterVariables()));
    if (!isFlang())
      passes.addPass(createModuleToFunctionPassAdaptor(MarkSpins()));
    passes.addPass(LowerMarkers(eliminates() && level != OptimizationLevel::O0));
    if (isFlang()) {
      // What clang would add: of functions without the attribute, atomic accesses and calls only.
      passes.addPass(ModuleThreadSanitizerPass());
      passes.addPass(createModuleToFunctionPassAdaptor(ThreadSanitizerPass()));
    }
  });
  // For tests of one pass: `opt -passes=raceproof-mark`.
  builder.registerPipelineParsingCallback(
      [](StringRef name, ModulePassManager &passes, ArrayRef<PassBuilder::PipelineElement>) {
        if (name == "raceproof-describe")
          passes.addPass(DescribeAccesses());
        else if (name == "raceproof-mark")
          passes.addPass(MarkAccesses());
        else if (name == "raceproof-fortran")
          passes.addPass(PrepareFortran());
        else if (name == "raceproof-eliminate")
          passes.addPass(EliminateChecks(true));
        else if (name == "raceproof-drop-private")
          passes.addPass(createModuleToFunctionPassAdaptor(DropPrivate()));
        else if (name == "raceproof-mark-lanes")
          passes.addPass(createModuleToFunctionPassAdaptor(MarkLanes()));
        else if (name == "raceproof-mark-iterations")
          passes.addPass(createModuleToFunctionPassAdaptor(MarkIterations()));
        else if (name == "raceproof-hoist-lanes")
          passes.addPass(createModuleToFunctionPassAdaptor(HoistLanes()));
        else if (name == "raceproof-drop-variables")
          passes.addPass(createModuleToFunctionPassAdaptor(DropRegisterVariables()));
        else if (name == "raceproof-lower")
          passes.addPass(LowerMarkers(false));
        else if (name == "raceproof-lower-inline")
          passes.addPass(LowerMarkers(true));
        else
          return false;
        return true;
      });
}

} // namespace raceproof

extern "C" __attribute__((visibility("default"))) PassPluginLibraryInfo llvmGetPassPluginInfo() {
  return {LLVM_PLUGIN_API_VERSION, "raceproof", "1", raceproof::registerPasses};
}
