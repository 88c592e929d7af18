// Debug information of variables, as much as reports need.
//
// A report names memory: of local variables, those that have a place in a frame. Where the others are, in which register from which instruction on, is most of what
// debug information costs an optimising compiler, a fifth of its time. It goes where the user has not asked for debug information, and the driver has for the reports.

#include "Variables.h"

#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"

using namespace llvm;

namespace raceproof {

namespace {

/// Calls a function for each record of where a variable is, before an instruction or as one.
template <typename Visit> void eachRecord(Function &function, Visit visit) {
  for (Instruction &instruction : make_early_inc_range(instructions(function))) {
#if LLVM_VERSION_MAJOR >= 19
    for (DbgVariableRecord &record : make_early_inc_range(filterDbgVars(instruction.getDbgRecordRange())))
      visit(record, record.isDbgValue());
#endif
    if (auto *record = dyn_cast<DbgVariableIntrinsic>(&instruction))
      visit(*record, record->getIntrinsicID() == Intrinsic::dbg_value);
  }
}

/// Whether a record of a value says where in memory the variable is.
template <typename Record> bool isInMemory(Record &record) {
  return record.getExpression()->startsWithDeref() || any_of(record.location_ops(), [](const Value *value) {
           return value && isa<AllocaInst>(value->stripPointerCasts());
         });
}

} // namespace

PreservedAnalyses DropRegisterVariables::run(Function &function, FunctionAnalysisManager &) {
  DenseSet<DebugVariable> inMemory;
  eachRecord(function, [&](auto &record, bool isValue) {
    if (!isValue || isInMemory(record))
      inMemory.insert(DebugVariable(&record));
  });
  eachRecord(function, [&](auto &record, bool isValue) {
    if (isValue && !inMemory.contains(DebugVariable(&record)))
      record.eraseFromParent();
  });
  return PreservedAnalyses::all();
}

} // namespace raceproof
