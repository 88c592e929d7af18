// What flang leaves to be done, or does otherwise than the language says, before accesses are marked.
#pragma once

#include "llvm/ADT/DenseSet.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/PassManager.h"
#include <map>
#include <string>

namespace raceproof {

/// Prepares a unit that flang compiles.
struct PrepareFortran : llvm::PassInfoMixin<PrepareFortran> {
  llvm::PreservedAnalyses run(llvm::Module &module, llvm::ModuleAnalysisManager &analyses);
  static bool isRequired() { return true; }
};

/// The path of a source: flang describes one file in several ways.
std::string pathOf(const llvm::DIFile &file);

/// The lines on which variables are declared. No statement stands on them that could be executed, so that an access there belongs to
/// a clause: the copy of a private variable is made, or thrown away.
class Declarations {
  std::map<std::string, llvm::DenseSet<unsigned>> lines;

public:
  explicit Declarations(const llvm::Module &module);
  bool has(const llvm::Instruction &instruction) const;
};

/// Copies of `firstprivate` variables: made when the task is created, and `copyin` that leaves the master's own copy alone.
void mendCopies(llvm::Module &module, const Declarations &declarations);

/// Whether a function of a unit stands for one of flang's runtime library: a simpler one for certain arguments. No statement is its own.
bool isSimplified(const llvm::Function &function);

/// What the functions of flang's runtime library do with the program's memory.
void markLibraryCalls(llvm::Function &function);

/// Lines of constructs for which flang has none, or those of other statements.
void mendLines(llvm::Module &module);

} // namespace raceproof
