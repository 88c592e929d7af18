//! Checks of static variables that only `main` writes: `static int n, cutoff;`, set from the arguments and read by every task.
//!
//! Why it is sound: take a variable that no other module can name (`internal`, `private`) and whose address goes nowhere. All that
//! is done to it then stands in this module, by its name. If nothing writes it, there is no race. If what writes it stands in the body
//! of `main`, it is done in the sequential part of the program: clang makes a function of its own of whatever a team or a task may
//! run, so that what is left in `main`, or was inlined there, is run by the initial thread, or by a team of one in which tasks
//! are run as they are created (`runs_at_once` in the runtime's `kmpc/tasks.rs`); and when a region is over, so are all of its tasks.
//! Nothing runs beside it, and none of the variable's checks, of reads or writes, in whatever function, can be of a race.
//!
//! What is asked for, then. Every mention of the variable in the module has to be explained, by being
//!
//! - its definition, in which nothing is said that leads to it by another way (a section, a thread's own copy);
//! - the address of a check, or of a plain load or store; of volatile and atomic ones all checks stay, since they are there to be seen;
//! - what an offset is counted from, whose result is used like this again. A phi or a select is not looked into.
//!
//! Debug information and other metadata mention it without using it. If there are stores, they have to be in `main`, which must not be
//! mentioned itself (it may be called by a task), and there must be no task with an event (`detach`) and no `target nowait`: these are
//! what a team of one does run beside its creator.
//!
//! Cost: two hashes or so for every name in the text, twice in functions.
//!
//! What it can miss: races with `main` of a task with an event, or of a `target nowait`, where another module creates the task in the sequential part of
//! the program, and it calls back; of a `main` that another module calls; and of an access past the end of another variable, which meets this one by chance.

use super::ir;
use rustc_hash::{FxHashMap, FxHashSet};

const MAIN: &str = "@main";
/// What makes a task one that is run beside its creator, however small the team: an event, and `target nowait`.
const DETACHES: [&str; 2] = ["@__kmpc_task_allow_completion_event", "@__kmpc_omp_target_task_alloc"];

/// The lines of checks that can go.
pub(super) fn needless(lines: &[&str]) -> FxHashSet<usize> {
    let mut statics = Statics::defined(lines);
    if statics.variables.is_empty() {
        return FxHashSet::default();
    }
    let mut function = None;
    for (number, line) in lines.iter().enumerate() {
        if line.starts_with("define ") {
            function = ir::header(line).map(|(_, name, _)| name);
            statics.find_offsets(&lines[number + 1..]);
        } else if *line == "}" {
            function = None;
            statics.offsets.clear();
        }
        if !is_unused(line) {
            statics.look_at(line, number, function);
        }
    }
    let gone = statics.checks.iter().filter(|(_, name)| statics.is_sequential(name));
    gone.map(|(line, _)| *line).collect()
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Written {
    Nowhere,
    InMain,
    Elsewhere,
}

struct Variable {
    /// How often it is mentioned where it is not known why.
    unexplained: i64,
    written: Written,
}

/// The variables of internal linkage, and what is known of the module's functions so far.
struct Statics<'a> {
    variables: FxHashMap<&'a str, Variable>,
    /// The values of the function that is looked at that are addresses in a variable.
    offsets: FxHashMap<&'a str, &'a str>,
    /// The lines of checks, each with its variable.
    checks: Vec<(usize, &'a str)>,
    mentions_of_main: usize,
    detaches: bool,
}

/// What an instruction does with an address.
enum Use {
    Load,
    Store,
    Check,
    Offset,
}

impl<'a> Statics<'a> {
    fn defined(lines: &[&'a str]) -> Statics<'a> {
        let names = lines.iter().filter_map(|line| defined(line));
        // The definition itself is a mention, and explained.
        let variables = names.map(|name| (name, Variable { unexplained: -1, written: Written::Nowhere }));
        Statics {
            variables: variables.collect(),
            offsets: FxHashMap::default(),
            checks: Vec::new(),
            mentions_of_main: 0,
            detaches: false,
        }
    }

    /// The variable that a name stands for, or leads into.
    fn variable(&self, name: &str) -> Option<&'a str> {
        self.offsets.get(name).or_else(|| self.variables.get_key_value(name).map(|(name, _)| name)).copied()
    }

    /// All offsets of a function that starts here, before their uses are looked at: a phi may stand above what it uses. One whose base
    /// stands below it is not found, so that the mention of the base is not explained.
    fn find_offsets(&mut self, lines: &[&'a str]) {
        for line in lines.iter().take_while(|line| **line != "}") {
            let (Some(result), text) = ir::result(line) else { continue };
            let Some((Use::Offset, base)) = used(text) else { continue };
            if let Some(name) = self.variable(base) {
                self.offsets.insert(result, name);
            }
        }
    }

    fn look_at(&mut self, line: &'a str, number: usize, function: Option<&str>) {
        let (result, text) = ir::result(line);
        for mentioned in ir::names(text) {
            self.mentions_of_main += usize::from(mentioned == MAIN);
            self.detaches |= DETACHES.contains(&mentioned);
            self.count(mentioned, 1);
        }
        let Some((how, address)) = used(text) else { return };
        let Some(name) = self.variable(address) else { return };
        match how {
            Use::Load => {}
            Use::Store => self.write(name, function),
            Use::Check => self.checks.push((number, name)),
            Use::Offset if result.is_some_and(|result| self.offsets.contains_key(result)) => {}
            Use::Offset => return,
        }
        self.count(address, -1);
    }

    fn count(&mut self, mentioned: &str, by: i64) {
        let variable = self.variable(mentioned).and_then(|name| self.variables.get_mut(name));
        variable.into_iter().for_each(|variable| variable.unexplained += by);
    }

    fn write(&mut self, name: &str, function: Option<&str>) {
        let Some(variable) = self.variables.get_mut(name) else { return };
        variable.written = match (variable.written, function) {
            (Written::Nowhere | Written::InMain, Some(MAIN)) => Written::InMain,
            _ => Written::Elsewhere,
        };
    }

    /// Whether nothing can happen to a variable beside a write of it.
    fn is_sequential(&self, name: &str) -> bool {
        let Some(variable) = self.variables.get(name) else { return false };
        let is_apart = match variable.written {
            Written::Nowhere => true,
            // The definition of `main` is one mention.
            Written::InMain => self.mentions_of_main == 1 && !self.detaches,
            Written::Elsewhere => false,
        };
        is_apart && variable.unexplained == 0
    }
}

/// The name of a variable that this line defines, if only this module knows it and nothing else is said of it.
fn defined(line: &str) -> Option<&str> {
    let (name, definition) = line.split_once(" = ").filter(|_| line.starts_with('@'))?;
    let mut words = definition.split(' ');
    let mut is_internal = false;
    loop {
        match words.next()? {
            "internal" | "private" => is_internal = true,
            "dso_local" | "unnamed_addr" | "local_unnamed_addr" => {}
            "global" | "constant" => break,
            _ => return None,
        }
    }
    // What has a section of its own may be reached by the section's bounds.
    let is_plain = is_internal && !definition.contains(", section \"");
    (is_plain && ir::names(name).next() == Some(name)).then_some(name)
}

/// Comments, metadata and debug information.
fn is_unused(line: &str) -> bool {
    let text = line.trim_start();
    let called = text.strip_prefix("tail ").unwrap_or(text);
    text.starts_with([';', '!']) || text.starts_with("#dbg_") || called.starts_with("call void @llvm.dbg.")
}

/// How an instruction uses an address, and the name that this is, or is a constant distance from.
fn used(text: &str) -> Option<(Use, &str)> {
    let (first, rest) = text.split_once(' ')?;
    let (how, address) = match first {
        "load" if !rest.starts_with("volatile ") => (Use::Load, *ir::split(rest).get(1)?),
        "store" if !rest.starts_with("volatile ") => (Use::Store, *ir::split(rest).get(1)?),
        "getelementptr" => (Use::Offset, *ir::split(rest).get(1)?),
        "call" | "tail" => {
            let call = text.strip_prefix("tail ").unwrap_or(text).strip_prefix("call void ")?;
            let callee = ir::names(call).next()?;
            ir::checked(&callee[1..])?;
            let [address] = ir::arguments(call, callee)?[..] else { return None };
            (Use::Check, address)
        }
        _ => return None,
    };
    Some((how, base(address)?))
}

/// `@x` of `ptr @x`, and of `ptr getelementptr inbounds (i8, ptr @x, i64 8)`.
fn base(operand: &str) -> Option<&str> {
    let address = operand.strip_prefix("ptr ")?.trim_start_matches("nonnull ");
    match address.strip_prefix("getelementptr ") {
        Some(offset) => {
            let (_, inside) = offset.split_once('(')?;
            base(ir::split(inside.strip_suffix(')')?).get(1)?)
        }
        None => (ir::names(address).next() == Some(address)).then_some(address),
    }
}
