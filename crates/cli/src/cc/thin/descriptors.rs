//! Checks of memory that belongs to the descriptor of an OpenMP task.
//!
//! A task's descriptor is a block that `__kmpc_omp_task_alloc` gives to whoever creates the task. It begins with what the
//! runtime knows of (`kmp_task_t`, the *head*), then come the copies of private variables (the *privates*); the head's first word leads to the
//! *shareds*, addresses of what is shared. The creator fills it in and hands it over; the task's entry, the function that was given
//! to `__kmpc_omp_task_alloc`, gets it as its second argument.
//!
//! Why it is sound: take a part of it, of which no function that is given the block lets an address out. Then whoever accesses
//! that part is the creator or the task. The creator does so after the block was allocated, which gives its memory a new life (`allocated` in
//! the runtime's `detector/memory.rs`), and before it hands the block over; the task begins after that; and the block is freed when the
//! task is over, which counts as no access. So all of it is ordered, in every schedule, and none of its checks can be of a
//! race. What the addresses in the shareds point at is somebody else's, and keeps its checks.
//!
//! What is asked for, then (`pointers` follows the addresses through a function):
//!
//! - The entry is known for what it is: it is `internal`, and its name stands in this module only where a task is allocated for it and where a
//!   creator runs the task itself (`if(0)`).
//! - Neither the entry nor any creator lets an address of the part out, at any time: not by a call, a store, a nested task that
//!   shares it. An address that gets out late does harm to early accesses too, since who learns of it need not be ordered after them. It
//!   goes for a whole part: `&a[2]` leads to all of `a`, and the optimised code no longer says where `a` ends. An
//!   address of the head, or one whose part is not known, leads to everything.
//! - No creator accesses the part after it has handed the block over. An untied task hands itself over at the end of each of its pieces;
//!   the next one may have begun then, so that the same goes for it.
//! - Other functions that get the block: the destructors of the privates, whose address the creator would put into the head, where only
//!   numbers are taken (priority, piece); and what copies the privates for each task of a `taskloop`, which therefore must be none. (The
//!   plain copies of the runtime are no accesses.) Of a task with an event (`detach`) all checks stay, since that call is not known here.
//!
//! What it can miss: a use of another task's privates after the end of that task, where the block has become this task's descriptor
//! meanwhile. Such a pointer dangles; that it met the new owner's checks, and was reported, was chance.

use super::flow::Flow;
use super::ir::{self, Function, What};
use super::pointers::{self, Held, Part};
use super::types::Types;
use super::values::Values;
use rustc_hash::{FxHashMap, FxHashSet};

const ALLOCATES: &str = "@__kmpc_omp_task_alloc";

/// The lines of checks that can go.
pub(super) fn needless(lines: &[&str]) -> FxHashSet<usize> {
    if !lines.iter().any(|line| line.contains(ALLOCATES)) {
        return FxHashSet::default();
    }
    let (functions, types) = (ir::functions(lines), Types::of(lines));
    let allocated: Vec<Vec<Held>> = functions.iter().map(allocations).collect();
    let mut entries = Entries::mentioned(lines, allocated.iter().flatten());
    let mut checks = Vec::new();
    for (function, mut held) in functions.iter().zip(allocated) {
        held.extend(entries.parameter(function));
        if held.is_empty() {
            continue;
        }
        held.iter().for_each(|held| entries.explain(held.entry));
        let flow = Flow::new(function);
        let values = Values::new(function, &types, |block| flow.is_reached(block));
        let found = pointers::follow(function, &flow, values, lines, held);
        found.run.into_iter().for_each(|entry| entries.explain(entry));
        entries.out.extend(found.out);
        checks.extend(found.checks);
    }
    let gone = checks.into_iter().filter(|check| entries.own(check.entry, check.part));
    gone.map(|check| check.line).collect()
}

/// The descriptors that a function allocates.
fn allocations<'a>(function: &Function<'a>) -> Vec<Held<'a>> {
    let instructions = function.blocks.iter().flat_map(|block| &block.instructions);
    let held = instructions.filter_map(|instruction| {
        let What::Call { callee: Some(ALLOCATES), text } = instruction.what else { return None };
        let [_, _, _, _, _, routine] = ir::arguments(text, ALLOCATES)?[..] else { return None };
        let entry = routine.strip_prefix("ptr ")?.trim_start_matches("nonnull ");
        (ir::names(entry).next() == Some(entry)).then_some(Held { root: instruction.result?, entry })
    });
    held.collect()
}

/// The entries of tasks.
struct Entries<'a> {
    /// How often each is mentioned where it is not known why.
    unexplained: FxHashMap<&'a str, i64>,
    /// The parts of their descriptors of which addresses get out.
    out: FxHashSet<(&'a str, Part)>,
}

impl<'a> Entries<'a> {
    fn mentioned<'h>(lines: &[&'a str], allocated: impl Iterator<Item = &'h Held<'a>>) -> Entries<'a>
    where
        'a: 'h,
    {
        let mut unexplained: FxHashMap<&str, i64> = allocated.map(|held| (held.entry, 0)).collect();
        for name in lines.iter().flat_map(|line| ir::names(line)) {
            unexplained.entry(name).and_modify(|count| *count += 1);
        }
        Entries { unexplained, out: FxHashSet::default() }
    }

    /// One mention: a definition, an allocation, a call.
    fn explain(&mut self, entry: &'a str) {
        self.unexplained.entry(entry).and_modify(|count| *count -= 1);
    }

    /// The descriptor that a function is given, if it is an entry.
    fn parameter(&self, function: &Function<'a>) -> Option<Held<'a>> {
        let is_entry = self.unexplained.contains_key(function.name) && function.head.contains(" internal ");
        let [_, descriptor] = ir::arguments(function.rest, "").filter(|_| is_entry)?[..] else { return None };
        let root =
            descriptor.strip_prefix("ptr ")?.rsplit(' ').next().filter(|name| name.starts_with('%'))?;
        Some(Held { root, entry: function.name })
    }

    /// Whether only the creator and the task know the part.
    fn own(&self, entry: &'a str, part: Part) -> bool {
        self.unexplained.get(entry) == Some(&0) && !self.out.contains(&(entry, part))
    }
}
