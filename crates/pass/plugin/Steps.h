// What ends a step.
//
// A step is what a task does between two synchronisations. All accesses of a step are equally ordered with those of other tasks, so that within
// it a check may move, and one that is repeated may go. A step ends where the task may be ordered with another: at an atomic access, and
// at any call that is not known to do no such thing. What is known comes from attributes and definitions. A function of the C library counts as such only
// if its declaration is the library's, the unit does not define it, and the linked program does not either: the object says
// which ones it relied on (section `.raceproof.assumes`).
//
// The next iteration of a worksharing loop may be another thread's, so it begins a step as well (Iterations.cpp). Ranges leave such a loop nevertheless, by
// iterations (Ranges.cpp).
#pragma once

#include "llvm/ADT/DenseSet.h"
#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/IR/Module.h"
#include <functional>
#include <set>
#include <string>

namespace raceproof {

class Steps {
public:
  using Library = std::function<const llvm::TargetLibraryInfo &(llvm::Function &)>;

  /// Without what is defined elsewhere in the module, or in the C library: any call of a function may end a step.
  Steps() = default;
  /// By all that is defined in a module.
  Steps(llvm::Module &module, Library library);

  /// Whether a step may end here.
  bool end(const llvm::Instruction &instruction) const;

  /// Writes down whose names were relied on.
  void keepAssumptions(llvm::Module &module) const;

private:
  bool endsAtCall(const llvm::CallBase &call) const;
  bool reliesOn(const llvm::CallBase &call, const llvm::Function &callee) const;

  /// None where nothing is relied on.
  Library library;
  /// Functions with a definition that ends no step.
  llvm::DenseSet<const llvm::Function *> nosync;
  mutable std::set<std::string> assumed;
};

} // namespace raceproof
