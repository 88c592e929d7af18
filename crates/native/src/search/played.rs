//! The actions of a replay, with the values of memory: what `replay --step` prints and the player
//! of the HTML report shows.
//!
//! A witness may have millions of actions, and to find out what one accesses walks the stack. So
//! only the last are recorded: how many there will be is known from the witness. The runtime
//! notices an access right before it is made. A value that is read stands in memory then; one that
//! is written does when the process comes here the next time, since all tasks run on one thread.

use super::access::{Operation, PendingAccess};
use crate::detect::detector;
use crate::detect::detector::{Raced, RacedAccess, Site};
use crate::detect::frames::{self, End, Frame};
use crate::detect::memory::Block;
use crate::report;
use crate::symbols::{Scalar, Symbols};
use raceproof_core::event::{AccessKind, SyncKind};
use raceproof_core::finding::{Grade, Witness};
use raceproof_core::ids::{SyncId, TaskId};
use raceproof_report::playback::{Action, Of, Op, Playback, Recorder};
use rustc_hash::{FxHashMap, FxHashSet};
use std::ops::Range;

/// An action of a replay.
pub(super) struct Done {
    pub(super) task: TaskId,
    pub(super) site: Site,
    pub(super) what: What,
}

pub(super) enum What {
    Access(Box<Accessed>),
    Spawn(TaskId),
    FinishEnd,
    Signal,
    Enter(SyncId),
    Leave(SyncId),
    Join(SyncKind),
    End,
}

/// An access, and what names its memory: that has to be looked at while the stack is there.
pub(super) struct Accessed {
    access: PendingAccess,
    block: Option<(usize, Block)>,
    frame: Option<Frame>,
    ends: Vec<End>,
    /// What the memory held before, and what it holds afterwards.
    before: Option<u64>,
    after: Option<u64>,
}

/// The actions so far.
pub(super) struct Played {
    /// Actions of the witness that are not recorded, as far as they are still to come.
    skip: u64,
    skipped: u64,
    most: usize,
    done: Vec<Done>,
    code: Vec<Range<usize>>,
    /// Whether the last of `done` is a write whose value is not known yet.
    unsettled: bool,
}

impl Played {
    /// To record the last `most` actions of a witness.
    pub(super) fn new(witness: &Witness, most: u64) -> Self {
        let all = witness.schedule.iter().fold(0, |all: u64, segment| all.saturating_add(segment.actions));
        Played {
            skip: all.saturating_sub(most),
            skipped: 0,
            // Releases and ends come between the actions that a witness counts.
            most: usize::try_from(most).unwrap_or(usize::MAX),
            done: Vec::new(),
            code: Vec::new(),
            unsettled: false,
        }
    }

    /// The witness is one action further.
    pub(super) fn count(&mut self) {
        self.skip = self.skip.saturating_sub(1);
    }

    /// Looks what the last write has written.
    pub(super) fn settle(&mut self) {
        if std::mem::take(&mut self.unsettled)
            && let Some(Done { what: What::Access(accessed), .. }) = self.done.last_mut()
        {
            accessed.after = value(accessed.access.address, accessed.access.size);
        }
    }

    pub(super) fn add(&mut self, done: Done) {
        if self.skip > 0 {
            self.skipped += 1;
            return;
        }
        self.settle();
        self.done.push(done);
    }

    /// A task makes an access, as soon as this returns.
    pub(super) fn access(&mut self, task: TaskId, access: PendingAccess) {
        if self.skip > 0 {
            self.skipped += 1;
            return;
        }
        if self.code.is_empty() {
            self.code = frames::code();
        }
        let PendingAccess { address, size, kind, site, .. } = access;
        let before = value(address, size);
        let is_write = kind == AccessKind::Write;
        let stack = detector().stack_of(address);
        let accessed = Accessed {
            access,
            block: detector().memory.find(address),
            frame: frames::find(address, stack.clone(), site.pc, &self.code),
            ends: frames::ends(address, stack, &self.code),
            before,
            after: if is_write { None } else { before },
        };
        self.add(Done { task, site, what: What::Access(Box::new(accessed)) });
        self.unsettled = is_write && access.operation != Operation::Free;
    }

    /// All in words.
    pub(super) fn finish(mut self) -> Playback {
        self.settle();
        let is_whole = self.skipped == 0;
        let mut words = Words {
            symbols: Symbols::load(),
            names: FxHashMap::default(),
            seen: FxHashSet::default(),
            is_whole,
        };
        let mut recorder = Recorder::new(self.most);
        recorder.skip(self.skipped);
        for done in self.done {
            words.record(done, &mut recorder);
        }
        recorder.finish(Of::Race(0))
    }
}

/// What memory holds, if it is of a size that integers have and can be read: it may be gone by now.
fn value(address: usize, size: usize) -> Option<u64> {
    if !matches!(size, 1 | 2 | 4 | 8) {
        return None;
    }
    let mut bytes = [0u8; 8];
    let to = libc::iovec { iov_base: bytes.as_mut_ptr().cast(), iov_len: size };
    let from = libc::iovec { iov_base: address as *mut libc::c_void, iov_len: size };
    // SAFETY: `to` is an array of ours that is long enough. The system checks `from`.
    let read = unsafe { libc::process_vm_readv(libc::getpid(), &to, 1, &from, 1, 0) };
    (read == size as isize).then(|| u64::from_le_bytes(bytes))
}

/// A value of a type. An unknown one is a signed integer; one of eight bytes that is as large as
/// addresses are may be one of these.
fn spelled(value: u64, size: usize, scalar: Option<Scalar>) -> String {
    const ADDRESSES: u64 = 1 << 40;
    let signed = match size {
        1 => i64::from(value as i8),
        2 => i64::from(value as i16),
        4 => i64::from(value as i32),
        _ => value as i64,
    };
    match scalar {
        Some(Scalar::Float) if size == 4 => f32::from_bits(value as u32).to_string(),
        Some(Scalar::Float) if size == 8 => f64::from_bits(value).to_string(),
        Some(Scalar::Bool) if value <= 1 => (value == 1).to_string(),
        Some(Scalar::Char) if (0x20..0x7f).contains(&value) => {
            format!("{value} '{}'", char::from(value as u8))
        }
        Some(Scalar::Unsigned) => value.to_string(),
        Some(Scalar::Pointer) => format!("{value:#x}"),
        None if size == 8 && signed.unsigned_abs() >= ADDRESSES => format!("{value:#x}"),
        _ => signed.to_string(),
    }
}

/// Memory by its address, the code that accesses it, and the beginning of what it is in.
type Accessing = (usize, usize, Option<usize>);

struct Words {
    symbols: Symbols,
    names: FxHashMap<Accessing, (String, Option<Scalar>)>,
    /// Names of memory that was accessed.
    seen: FxHashSet<String>,
    /// Whether no action is left out.
    is_whole: bool,
}

/// Names that many variables have.
const SHARED_NAMES: [&str; 3] = ["a local variable", "a thread-local variable", "memory"];

impl Words {
    fn record(&mut self, done: Done, recorder: &mut Recorder) {
        let Done { task, site, what } = done;
        let symbols = &self.symbols;
        // Of a team, the region is what creates its threads.
        let created = if let What::Spawn(child) = what { Some(child) } else { None };
        let mut action = match what {
            What::Access(accessed) => self.access(task, &accessed, recorder),
            What::Spawn(child) => Action::new(Op::Spawn, format!("creates {}", report::name(child)), None),
            What::FinishEnd => Action::new(Op::Join, "goes on after its tasks", None),
            What::Enter(lock) => {
                Action::new(Op::Acquire, format!("enters {}", report::lock_name(symbols, lock.index())), None)
            }
            What::Leave(lock) => {
                Action::new(Op::Release, format!("leaves {}", report::lock_name(symbols, lock.index())), None)
            }
            What::Join(SyncKind::Future) => Action::new(Op::Get, "goes on after a task", None),
            What::Join(_) => Action::new(Op::Wait, "goes on after an event", None),
            What::Signal => Action::new(Op::Post, "fulfills an event", None),
            What::End => Action::new(Op::End, "ends", None),
        };
        action.counted = !matches!(action.op, Op::Release | Op::End);
        let site = match created {
            Some(child) => detector().site(detector().tasks[child.index()].created),
            None => site,
        };
        if action.op != Op::End {
            let (at, _) = report::place(&self.symbols, site);
            action.at = (at.line > 0).then_some(at);
        }
        recorder.push(report::name(task), action);
    }

    fn access(&mut self, task: TaskId, accessed: &Accessed, recorder: &mut Recorder) -> Action {
        let PendingAccess { address, size, kind, operation, .. } = accessed.access;
        let (op, verb) = match (kind, operation) {
            (_, Operation::Free) => (Op::Write, "frees"),
            (AccessKind::Read, _) => (Op::Read, "reads"),
            (AccessKind::Write, _) => (Op::Write, "writes"),
        };
        let (location, scalar) = self.name(task, accessed);
        // Memory of the stack or the heap holds something left over until it is written first.
        let is_known = kind == AccessKind::Read || !self.is_whole || self.symbols.variable(address).is_some();
        let is_first = self.seen.insert(location.clone());
        if is_first && is_known {
            recorder.holds(&location, || Some(spelled(accessed.before?, size, scalar)));
        }
        let value = accessed.after.map(|value| spelled(value, size, scalar));
        let shown = value.as_ref().map_or(format!(" ({size} bytes)"), |value| format!(": {value}"));
        let atomically = if operation == Operation::Atomic { ", atomically" } else { "" };
        let text = format!("{verb} {location}{shown}{atomically}");
        let location = Some(location).filter(|name| !SHARED_NAMES.contains(&name.as_str()));
        Action { location, value, ..Action::new(op, text, None) }
    }

    /// What the memory of an access is called, as in the report of a race.
    fn name(&mut self, task: TaskId, accessed: &Accessed) -> (String, Option<Scalar>) {
        let PendingAccess { address, site, kind, .. } = accessed.access;
        let within = accessed.block.map(|(base, _)| base).or(accessed.frame.map(|frame| frame.base));
        let key = (address, site.pc, within);
        if let Some(name) = self.names.get(&key) {
            return name.clone();
        }
        let side = RacedAccess {
            kind,
            atomic: false,
            freed: false,
            folded: false,
            alike: false,
            lane: None,
            iteration: None,
            task,
            site,
            locks: [0; 4],
        };
        let raced = Raced {
            first: side,
            second: side,
            address,
            count: 1,
            block: accessed.block,
            frame: accessed.frame,
            ends: accessed.ends.clone(),
            promise: None,
        };
        let name = report::race(&self.symbols, &raced, Grade::Apparent).location;
        let scalar = self.symbols.scalar(address, accessed.frame.map(|frame| (frame.pc, frame.base)));
        self.names.insert(key, (name.clone(), scalar));
        (name, scalar)
    }
}
