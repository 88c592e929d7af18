// Lines of constructs, where flang 19 has none or another statement's.
//
// Of `atomic` constructs some accesses have no line, the others that of the statement before; so have the calls that create a
// task or enter a critical section; the call that starts a parallel region has that of a statement inside. The source says where they
// are. A function is walked in the order of its source: a block comes after those that lead to it, and the branch that is taken before the other. Each
// construct that is met is the first directive of its kind that no other one is and that stands after the last line before it. What is outlined is
// walked where it is created.
//
// Of `target` regions nothing has a line; the name of the function that the region becomes ends with that of the directive, which has to do for all of it.

#include "Access.h"
#include "Fortran.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/IR/DIBuilder.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/Support/MemoryBuffer.h"

using namespace llvm;

namespace raceproof {

namespace {

struct Directive {
  /// The first word after the sentinel: `atomic`, `task`, `critical`.
  StringRef kind;
  unsigned line, column;
  /// The statement after it.
  unsigned statementLine = 0, statementColumn = 0;
  bool isTaken = false;
};

/// The directives of a file, in its order.
class Source {
  std::unique_ptr<MemoryBuffer> text;

public:
  SmallVector<Directive> directives;

  explicit Source(const DIFile &file) {
    auto read = MemoryBuffer::getFile(pathOf(file), true);
    if (!read)
      return;
    text = std::move(*read);
    StringRef rest = text->getBuffer();
    for (unsigned line = 1; !rest.empty(); ++line) {
      StringRef here;
      std::tie(here, rest) = rest.split('\n');
      add(line, here.rtrim());
    }
  }

private:
  void add(unsigned line, StringRef here) {
    StringRef trimmed = here.ltrim();
    // `c$omp` and `*$omp` begin a line of the fixed form.
    bool isFixed = !here.empty() && StringRef("cC*").contains(here.front());
    bool isSentinel = trimmed.size() > 5 && trimmed.substr(1, 4).equals_insensitive("$omp") &&
                      (trimmed.front() == '!' || isFixed);
    if (isSentinel) {
      StringRef words = trimmed.drop_front(5);
      StringRef kind = words.ltrim().take_while([](char c) { return isAlpha(c) || c == '_'; });
      if (!kind.empty() && (words.front() == ' ' || words.front() == '\t'))
        directives.push_back({kind, line, unsigned(kind.data() - here.data()) + 1});
      return;
    }
    if (trimmed.empty() || trimmed.front() == '!' || isFixed)
      return;
    for (Directive &directive : reverse(directives)) {
      if (directive.statementLine != 0)
        break;
      directive.statementLine = line;
      directive.statementColumn = unsigned(trimmed.data() - here.data()) + 1;
    }
  }
};

/// The load that begins an update by comparing and exchanging.
LoadInst *firstLoadOf(const AtomicCmpXchgInst &exchange) {
  auto *expected = dyn_cast<PHINode>(exchange.getCompareOperand()->stripPointerCasts());
  if (!expected)
    return nullptr;
  for (Value *value : expected->incoming_values())
    if (auto *load = dyn_cast<LoadInst>(value); load && load->isAtomic())
      return load;
  return nullptr;
}

class Walk {
  std::map<std::string, std::unique_ptr<Source>> sources;
  DenseSet<const Function *> walked;

public:
  /// A function that begins after a line.
  void walk(Function &function, unsigned after) {
    DISubprogram *program = function.getSubprogram();
    if (function.isDeclaration() || !program || !program->getFile() || !walked.insert(&function).second)
      return;
    auto &source = sources[pathOf(*program->getFile())];
    if (!source)
      source = std::make_unique<Source>(*program->getFile());
    Source &known = *source;
    DominatorTree dominators(function);
    DenseMap<const BasicBlock *, unsigned> ends;
    for (BasicBlock *block : inOrder(function)) {
      auto *node = dominators.getNode(block);
      auto *above = node ? node->getIDom() : nullptr;
      unsigned last = above ? ends.lookup(above->getBlock()) : after;
      for (Instruction &instruction : *block)
        visit(instruction, known, last);
      ends[block] = last;
    }
  }

private:
  /// Blocks after those that lead to them, loops aside; the first branch before the second.
  static SmallVector<BasicBlock *> inOrder(Function &function) {
    SmallVector<BasicBlock *> finished;
    SmallPtrSet<BasicBlock *, 32> seen = {&function.getEntryBlock()};
    SmallVector<std::pair<BasicBlock *, SmallVector<BasicBlock *>>> path;
    auto enter = [&](BasicBlock *block) { path.push_back({block, {succ_begin(block), succ_end(block)}}); };
    enter(&function.getEntryBlock());
    while (!path.empty()) {
      auto &[block, left] = path.back();
      if (left.empty()) {
        finished.push_back(block);
        path.pop_back();
        continue;
      }
      BasicBlock *next = left.pop_back_val();
      if (seen.insert(next).second)
        enter(next);
    }
    std::reverse(finished.begin(), finished.end());
    return finished;
  }

  static bool isHead(const Instruction &instruction) {
    if (auto *exchange = dyn_cast<AtomicCmpXchgInst>(&instruction))
      return !firstLoadOf(*exchange);
    return instruction.isAtomic() && !isa<FenceInst>(instruction);
  }

  void visit(Instruction &instruction, Source &source, unsigned &last) {
    StringRef called = calledName(instruction);
    if (called == "__kmpc_fork_call" || called == "__kmpc_fork_teams") {
      locateFork(cast<CallBase>(instruction));
      note(instruction, last);
    } else if (called == "__kmpc_omp_task_alloc") {
      if (Directive *directive = take(source, "task", last))
        locateTask(cast<CallBase>(instruction), *directive);
    } else if (called.starts_with("__kmpc_critical")) {
      if (Directive *directive = take(source, "critical", last))
        locate(instruction, directive->line, directive->column);
    } else if (isHead(instruction)) {
      DebugLoc before = instruction.getDebugLoc();
      note(instruction, last);
      if (Directive *directive = take(source, "atomic", last))
        locateAtomic(instruction, before, *directive);
    } else if (called.empty() || !called.starts_with("__kmpc_")) {
      note(instruction, last);
    }
    for (Value *operand : instruction.operands())
      if (auto *outlined = dyn_cast<Function>(operand); outlined && outlined->hasLocalLinkage())
        walk(*outlined, last);
  }

  static void note(const Instruction &instruction, unsigned &last) {
    // Variables of the compiler's own stand at the beginning, whichever statement they are for.
    if (const DebugLoc &location = instruction.getDebugLoc(); location && !isa<AllocaInst>(instruction))
      last = std::max(last, location.getLine());
  }

  /// The construct that comes after a line.
  static Directive *take(Source &source, StringRef kind, unsigned &last) {
    for (Directive &directive : source.directives)
      // flang may know better, and have the construct's own line, or its statement's.
      if (!directive.isTaken && directive.kind.equals_insensitive(kind) &&
          (directive.line > last || directive.line == last || directive.statementLine == last)) {
        directive.isTaken = true;
        last = std::max(last, directive.line);
        return &directive;
      }
    return nullptr;
  }

  static void locate(Instruction &instruction, unsigned line, unsigned column) {
    DISubprogram *scope = instruction.getFunction()->getSubprogram();
    instruction.setDebugLoc(DILocation::get(instruction.getContext(), line, column, scope));
  }

  /// The call that asks for the number of the thread stands before it and has the line of the directive.
  static void locateFork(CallBase &fork) {
    for (Instruction &other : instructions(*fork.getFunction()))
      if (calledName(other) == "__kmpc_global_thread_num" && other.getDebugLoc() &&
          cast<CallBase>(other).getArgOperand(0) == fork.getArgOperand(0)) {
        fork.setDebugLoc(other.getDebugLoc());
        return;
      }
  }

  static void locateTask(CallBase &created, const Directive &directive) {
    locate(created, directive.line, directive.column);
    for (User *user : created.users())
      if (auto *call = dyn_cast<CallBase>(user); call && calledName(*call).starts_with("__kmpc_"))
        locate(*call, directive.line, directive.column);
  }

  void locateAtomic(Instruction &head, const DebugLoc &before, const Directive &directive) {
    if (directive.statementLine == 0)
      return;
    auto set = [&](Instruction &one) { locate(one, directive.statementLine, directive.statementColumn); };
    set(head);
    for (User *user : head.users())
      if (auto *expected = dyn_cast<PHINode>(user))
        for (User *exchange : expected->users())
          if (isa<AtomicCmpXchgInst>(exchange)) {
            set(*cast<Instruction>(exchange));
            setOperands(*cast<Instruction>(exchange), before, set);
          }
    setOperands(head, before, set);
    // What follows without a line is the rest of it: a captured value is stored.
    for (Instruction *next = head.getNextNode(); next && !next->getDebugLoc() && !isHead(*next) &&
                                                 calledName(*next).empty() && !next->isTerminator();
         next = next->getNextNode())
      set(*next);
  }

  /// What is computed for nothing else, with no line or the same wrong one.
  template <typename Set> static void setOperands(Instruction &of, const DebugLoc &before, const Set &set) {
    for (Value *operand : of.operands())
      if (auto *computed = dyn_cast<Instruction>(operand);
          computed && computed->hasOneUse() && computed->getParent() == of.getParent() && !isHead(*computed) &&
          (!computed->getDebugLoc() || computed->getDebugLoc() == before)) {
        set(*computed);
        setOperands(*computed, before, set);
      }
  }
};

/// The line of the `target` directive whose region a function is, or is a part of.
std::optional<unsigned> lineOfTarget(const Function &function) {
  StringRef name = function.getName();
  if (!name.consume_front("__omp_offloading_"))
    return std::nullopt;
  unsigned line = 0;
  StringRef number = name.split("..").first.rsplit("_l").second;
  if (number.empty() || number.getAsInteger(10, line))
    return std::nullopt;
  return line;
}

void locateTargets(Module &module) {
  auto units = module.debug_compile_units();
  if (units.begin() == units.end())
    return;
  DIBuilder builder(module, false, *units.begin());
  DIFile *file = (*units.begin())->getFile();
  for (Function &function : module) {
    auto line = lineOfTarget(function);
    if (!line || function.isDeclaration() || function.getSubprogram())
      continue;
    DISubprogram *program = builder.createFunction(file, function.getName(), function.getName(), file, *line,
                                                   builder.createSubroutineType(builder.getOrCreateTypeArray({})), *line,
                                                   DINode::FlagZero, DISubprogram::SPFlagDefinition);
    function.setSubprogram(program);
    for (Instruction &instruction : instructions(function))
      instruction.setDebugLoc(DILocation::get(module.getContext(), *line, 1, program));
    builder.finalizeSubprogram(program);
  }
}

} // namespace

void mendLines(Module &module) {
  locateTargets(module);
  Walk walk;
  for (Function &function : module)
    // What is outlined is walked from where it is created.
    if (!function.hasLocalLinkage() || function.getName().find("..omp_par") == StringRef::npos)
      walk.walk(function, function.getSubprogram() ? function.getSubprogram()->getLine() : 0);
}

} // namespace raceproof
