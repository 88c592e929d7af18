//! The chunks of loops whose schedule the runtime may choose: dynamic, guided, auto.
//!
//! The schedule chooses which thread takes which chunk, so chunks are parallel to each other also
//! where one thread of this run took both. Each is a task of the order: a child of the thread, in a
//! finish that ends with the loop. For the kernel, and for the program, the thread keeps running.
//!
//! Accesses to memory of a thread stay in the order in which the thread makes them: another thread
//! would have used its own. That is its stack, its thread-local storage, what it has allocated in a
//! parallel region, and whatever is chosen by its number. (If a program publishes such memory, the
//! detector misses races for it between two chunks of one thread; it finds those between chunks of
//! different threads.)

use super::*;
use raceproof_core::event::Event;
use std::ops::Range;

/// A loop that a task is in.
#[derive(Clone, Debug)]
pub(super) struct Loop {
    /// The finish around its chunks.
    finish: Finish,
    /// The stack of the thread.
    stack: Range<usize>,
}

/// The memory of a thread that runs a chunk, and the step at which the thread took it: its accesses
/// there count as the thread's own.
#[derive(Clone, Debug, Default)]
pub(super) struct Own {
    pub(super) from: usize,
    pub(super) size: usize,
    pub(super) step: u32,
}

impl Loop {
    pub(super) fn is_on_stack(&self, address: usize) -> bool {
        self.stack.contains(&address)
    }
}

impl Own {
    #[inline(always)]
    pub(super) fn holds(&self, address: usize) -> bool {
        address.wrapping_sub(self.from) < self.size
    }
}

impl Detector {
    /// The running task takes a chunk of a loop whose construct is at `created`; `stack` is its
    /// own. `taken` says how many it had.
    pub(crate) fn begin_chunk(&mut self, created: u32, stack: Range<usize>, taken: u32) {
        let thread = if taken == 0 { self.begin_loop(stack) } else { self.end_chunk() };
        self.run_as(thread);
        self.collect_in_time();
        let thread = self.current;
        let chunk = TaskId::at(self.tasks.len());
        let Task { asked, scope, thread: on, .. } = self.tasks[thread.index()];
        let role = Role::Chunk(taken + 1);
        let serial = self.new_serial();
        self.tasks.push(Task {
            parent: thread,
            created,
            role,
            thread: on,
            asked,
            scope,
            detached: false,
            awaited: false,
            serial,
        });
        let step = self.order.step_of(thread).0;
        let Loop { finish, stack } = &self.loops[&thread];
        let own = Own { from: stack.start, size: stack.len(), step };
        let scope = self.finishes.scope(*finish);
        self.record_event(Event::Spawn { parent: thread, child: chunk, scope, site: SiteId(created) });
        self.record_hand_over(thread, chunk, false);
        self.set_time();
        self.leak(thread);
        self.order.spawn(thread, chunk, scope);
        self.locks.hand_over(thread, chunk);
        self.chunks.insert(chunk, own);
        self.run_as(chunk);
    }

    /// The running task has no more chunks of the loop.
    pub(crate) fn end_loop(&mut self) {
        let thread = self.end_chunk();
        self.run_as(thread);
        if let Some(Loop { finish, .. }) = self.loops.remove(&thread) {
            self.record_event(Event::FinishEnd { task: thread, scope: self.finishes.scope(finish) });
            self.close(finish);
        }
    }

    fn begin_loop(&mut self, stack: Range<usize>) -> TaskId {
        let thread = self.current;
        let finish = self.open_scope(thread);
        self.record_event(Event::FinishBegin { task: thread, scope: self.finishes.scope(finish) });
        self.loops.insert(thread, Loop { finish, stack });
        thread
    }

    /// Ends the running chunk; whose it was.
    fn end_chunk(&mut self) -> TaskId {
        let chunk = self.current;
        let Task { parent, detached, asked, .. } = self.tasks[chunk.index()];
        self.record_hand_over(chunk, parent, false);
        self.record_event(Event::End { task: chunk });
        self.order.end(chunk);
        self.chunks.remove(&chunk);
        self.locks.hand_over(chunk, parent);
        let thread = &mut self.tasks[parent.index()];
        thread.detached |= detached;
        thread.asked |= asked;
        parent
    }

    /// The running task of the kernel continues as another one of the order.
    fn run_as(&mut self, task: TaskId) {
        self.runs_as[self.running.index()] = task;
        self.resume(task);
        self.begin_step();
    }

    /// The task that took a chunk; any other task is itself.
    pub(crate) fn taker(&self, task: TaskId) -> TaskId {
        let Task { role, parent, .. } = self.tasks[task.index()];
        if matches!(role, Role::Chunk(_)) { parent } else { task }
    }

    /// The chunks that a task is, or belongs to, innermost first: a nested team may have a loop of
    /// its own.
    pub(super) fn chunks_of(&self, task: TaskId) -> impl Iterator<Item = TaskId> + '_ {
        let above = |&task: &TaskId| {
            let Task { role, parent, .. } = self.tasks[task.index()];
            (role != Role::Main).then_some(parent)
        };
        std::iter::successors(Some(task), above)
            .filter(|task| matches!(self.tasks[task.index()].role, Role::Chunk(_)))
    }

    /// Whether an earlier access and the present one were made in chunks that one thread took, to
    /// memory of that thread.
    pub(super) fn is_of_one_thread(&self, earlier: AccessId, address: usize) -> bool {
        if self.loops.is_empty() {
            return false;
        }
        let befores: Vec<TaskId> = self.chunks_of(self.task_of(earlier)).collect();
        let is_of_one = |now: TaskId| {
            let thread = self.tasks[now.index()].parent;
            let is_other = |&before: &TaskId| before != now && self.tasks[before.index()].parent == thread;
            befores.iter().any(is_other) && self.is_memory_of(thread, address)
        };
        !befores.is_empty() && self.chunks_of(self.current).any(is_of_one)
    }

    /// Whether memory belongs to a thread that is in a loop.
    fn is_memory_of(&self, thread: TaskId, address: usize) -> bool {
        let on = self.tasks[thread.index()].thread;
        self.loops.get(&thread).is_some_and(|l| l.stack.contains(&address))
            || self.privates.is_of(address, on)
            || self.memory.find(address).is_some_and(|(_, block)| block.thread() == Some(on))
    }

    /// Readers that need not be kept beside the running chunk: of the chunks of a loop that one
    /// thread has taken, two are as good as all, since a writer is in at most one of them. Not
    /// where locks are held, which may exclude a writer from those two and not from another.
    pub(super) fn spare_chunks(&self, readers: ReaderRef) -> Option<Vec<AccessId>> {
        if self.own.size == 0 || !readers.is_set() || self.locks.is_held_by(self.current) {
            return None;
        }
        let thread = self.tasks[self.current.index()].parent;
        let is_of_thread = |&id: &AccessId| {
            let Task { role, parent, .. } = self.tasks[self.task_of(id).index()];
            matches!(role, Role::Chunk(_)) && parent == thread
        };
        let mut chunks: Vec<AccessId> = self.list(readers).into_iter().filter(is_of_thread).collect();
        // The oldest stays.
        let oldest = chunks.pop()?;
        (!self.locks.is_in_section(self.accesses[oldest.index()].step)).then_some(chunks)
    }
}
