//! What the detector hands to the [`Recorder`], if the run is recorded.

use super::*;
use raceproof_core::event::Event;
use std::io;
use std::ops::Range;

/// An access as the recorder sees it.
#[derive(Clone, Copy)]
pub(crate) struct Accessed {
    pub(crate) task: TaskId,
    pub(crate) step: u32,
    pub(crate) kind: AccessKind,
    pub(crate) atomic: bool,
    pub(crate) site: Site,
}

/// What records the run. `report` writes a trace; the detector knows neither the file nor its
/// format.
pub(crate) trait Recorder {
    /// The recorder's id of a site.
    fn site(&mut self, site: Site) -> SiteId;

    /// Whose value or end was recorded last.
    fn given(&self) -> Option<TaskId>;

    /// Anything but an access.
    fn event(&mut self, event: Event);

    /// `to` takes over what `from` holds, which has ended or continues as `to`.
    fn hand_over(&mut self, from: TaskId, to: TaskId, has_ended: bool);

    /// An access to these bytes; `block` finds the block of memory an address is in.
    fn access(
        &mut self,
        bytes: Range<usize>,
        accessed: Accessed,
        block: &dyn Fn(usize) -> Option<(usize, Block)>,
    );

    /// The memory is reused.
    fn forget(&mut self, memory: Range<usize>);

    /// Ends the recording; `whole` says whether the run has come to its end.
    fn finish(self: Box<Self>, whole: bool) -> io::Result<()>;
}

impl Detector {
    pub(crate) fn start_recording(&mut self, recorder: Box<dyn Recorder>) {
        self.record = Some(recorder);
        // A trace uses ids once only, so nothing is collected.
        self.keep_everything();
    }

    #[inline]
    pub(crate) fn is_recorded(&self) -> bool {
        self.record.is_some()
    }

    /// Anything but an access.
    #[inline]
    pub(super) fn record_event(&mut self, event: Event) {
        if self.record.is_some() {
            self.record_event_now(event);
        }
    }

    #[cold]
    fn record_event_now(&mut self, event: Event) {
        let Some(record) = &mut self.record else { return };
        match event {
            Event::Spawn { parent, child, scope, site } => {
                let site = record.site(self.sites.get(site));
                record.event(Event::Spawn { parent, child, scope, site });
            }
            Event::End { task } | Event::Signal { task, kind: SyncKind::Future, .. } => {
                let Task { asked, thread, .. } = self.tasks[task.index()];
                // What comes after the value of a future is its end.
                if asked && record.given() != Some(task) {
                    record.event(Event::Signal { task, sync: of_thread(thread), kind: SyncKind::Event });
                }
                record.event(event);
            }
            _ => record.event(event),
        }
    }

    /// The current task has queried its thread number. Tasks of one thread that have done so are
    /// recorded as ordered, as they ran: it may well be the number that led them to the same
    /// memory.
    pub(crate) fn record_thread_query(&mut self) {
        let (task, sync) = (self.current, of_thread(self.tasks[self.current.index()].thread));
        self.record_event(Event::Join { task, sync, kind: SyncKind::Event });
        self.record_event(Event::Signal { task, sync, kind: SyncKind::Event });
    }

    /// Another task of the order resumes. The two may be of one thread, which runs one of them at a
    /// time.
    #[cold]
    pub(super) fn record_turn(&mut self, to: TaskId) {
        if self.record.is_none() || to == self.current {
            return;
        }
        for (task, leaves) in [(self.current, true), (to, false)] {
            let Some(&Task { asked: true, thread, .. }) = self.tasks.get(task.index()) else { continue };
            let (sync, kind) = (of_thread(thread), SyncKind::Event);
            self.record_event(match leaves {
                true => Event::Signal { task, sync, kind },
                false => Event::Join { task, sync, kind },
            });
        }
    }

    /// One task takes over what another holds.
    pub(super) fn record_hand_over(&mut self, from: TaskId, to: TaskId, has_ended: bool) {
        if let Some(record) = &mut self.record {
            record.hand_over(from, to, has_ended);
        }
    }

    #[inline]
    pub(super) fn record_access(
        &mut self,
        address: usize,
        size: usize,
        kind: AccessKind,
        manner: Manner,
        pc: usize,
    ) {
        if self.record.is_some() {
            self.record_access_now(address, size, kind, manner, pc);
        }
    }

    #[cold]
    fn record_access_now(
        &mut self,
        address: usize,
        size: usize,
        kind: AccessKind,
        manner: Manner,
        pc: usize,
    ) {
        if self.is_of_units(address) || self.is_own_of_thread(address) {
            return;
        }
        let (task, step) = (self.current, self.order.step().0);
        let sync = of_thread(self.tasks[task.index()].thread);
        let is_private = self.is_private(address);
        if is_private {
            self.record_event(Event::Join { task, sync, kind: SyncKind::Event });
        }
        let site = Site { pc, context: self.contexts.now().context };
        let accessed = Accessed { task, step, kind, atomic: manner == Manner::Atomic, site };
        let memory = &self.memory;
        if let Some(record) = &mut self.record {
            record.access(address..address + size, accessed, &|address| memory.find(address));
        }
        if is_private {
            self.record_event(Event::Signal { task, sync, kind: SyncKind::Event });
        }
    }

    /// The memory is used for something else from now on.
    #[inline]
    pub(super) fn record_reuse(&mut self, memory: Range<usize>) {
        if self.record.is_some() {
            self.record_reuse_now(memory);
        }
    }

    #[cold]
    fn record_reuse_now(&mut self, memory: Range<usize>) {
        if let Some(record) = &mut self.record {
            record.forget(memory);
        }
    }

    /// Whether the memory is private to the thread that runs. Its tasks use it in the order in
    /// which the thread runs them.
    fn is_private(&self, address: usize) -> bool {
        let on = self.tasks[self.current.index()].thread;
        self.privates.is_of(address, on)
    }

    /// Whether the memory is owned by the thread that runs, and was not allocated by the task that
    /// does. As above.
    fn is_own_of_thread(&mut self, address: usize) -> bool {
        let on = self.tasks[self.current.index()].thread;
        let is_own = self.memory.find(address).is_some_and(|(_, block)| block.task == self.current);
        !is_own && policy::is_owned(address, on, self)
    }
}

/// The sync of a virtual thread: ids that neither the kernel nor the detector reaches.
fn of_thread(thread: u32) -> SyncId {
    SyncId(u32::MAX - thread)
}
