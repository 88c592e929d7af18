//! A trace as bytes, for the process that searches: an execution of a native program writes one, and
//! text would take longer to write and to read than many executions take.
//!
//! Numbers are [varints](crate::varint), hashes and locations eight bytes, the lowest first.
//! A list is its length and its items:
//!
//! | list | item |
//! | --- | --- |
//! | names of tasks | the hash |
//! | transitions | task; kind of choice, twice, plus 1 if closed; the choice's sync, if it has one; where its accesses begin and how many there are |
//! | events | kind; the two numbers of its fields, or the one |
//! | accesses | location; effect; site |

use super::{Hard, Trace, Transition};
use crate::event::Effect;
use crate::explore::{Choice, TaskName};
use crate::ids::{ScopeId, SiteId, SyncId, TaskId};
use crate::varint::{put, take};

impl Trace {
    /// The trace of an execution that has ended.
    pub fn to_bytes(&self) -> Vec<u8> {
        let rows = self.names.len() + self.transitions.len() + self.log.len() + 2 * self.accesses.len();
        let mut out = Vec::with_capacity(16 + 8 * rows);
        put(&mut out, self.names.len() as u64);
        for name in &self.names {
            out.extend(name.0.to_le_bytes());
        }
        put(&mut out, self.transitions.len() as u64);
        for Transition { task, choice, closed, accesses } in &self.transitions {
            let (kind, sync) = match *choice {
                Choice::None => (0, None),
                Choice::Section(sync) => (1, Some(sync)),
                Choice::Take(sync) => (2, Some(sync)),
                Choice::Give(sync) => (3, Some(sync)),
            };
            put(&mut out, u64::from(task.0));
            put(&mut out, kind << 1 | u64::from(*closed));
            if let Some(sync) = sync {
                put(&mut out, u64::from(sync));
            }
            put(&mut out, u64::from(accesses.start));
            put(&mut out, accesses.len() as u64);
        }
        put(&mut out, self.log.len() as u64);
        for &hard in &self.log {
            let (kind, first, second) = match hard {
                Hard::Begin(transition) => (0, transition, None),
                Hard::Spawn { parent, child } => (1, parent.0, Some(child.0)),
                Hard::End { task, scope } => (2, task.0, Some(scope.0)),
                Hard::FinishEnd { task, scope } => (3, task.0, Some(scope.0)),
                Hard::Signal { task, sync } => (4, task.0, Some(sync.0)),
                Hard::Join { task, sync } => (5, task.0, Some(sync.0)),
                Hard::Leave { section, task } => (6, section, Some(task.0)),
            };
            out.push(kind);
            put(&mut out, u64::from(first));
            if let Some(second) = second {
                put(&mut out, u64::from(second));
            }
        }
        put(&mut out, self.accesses.len() as u64);
        for (&(location, effect), site) in self.accesses.iter().zip(&self.sites) {
            out.extend(location.to_le_bytes());
            out.push(match effect {
                Effect::Read => 0,
                Effect::Add => 1,
                Effect::Write => 2,
            });
            put(&mut out, u64::from(site.0));
        }
        out
    }

    /// The trace that these bytes are, to be looked at and not recorded further; the error is where
    /// they are none.
    /// [`check`](Trace::check) says whether its parts refer to each other as they should.
    pub fn from_bytes(bytes: &[u8]) -> Result<Trace, usize> {
        let mut rest = bytes;
        match read(&mut rest) {
            Some(trace) if rest.is_empty() => Ok(trace),
            _ => Err(bytes.len() - rest.len()),
        }
    }
}

/// The length of a list whose items take at least so many bytes: no more than are there.
fn length(bytes: &mut &[u8], item: usize) -> Option<usize> {
    let count = usize::try_from(take(bytes)?).ok()?;
    (count <= bytes.len() / item).then_some(count)
}

fn number(bytes: &mut &[u8]) -> Option<u32> {
    u32::try_from(take(bytes)?).ok()
}

fn byte(bytes: &mut &[u8]) -> Option<u8> {
    let (&first, rest) = bytes.split_first()?;
    *bytes = rest;
    Some(first)
}

fn word(bytes: &mut &[u8]) -> Option<u64> {
    let (first, rest) = bytes.split_first_chunk()?;
    *bytes = rest;
    Some(u64::from_le_bytes(*first))
}

fn read(bytes: &mut &[u8]) -> Option<Trace> {
    let mut trace = Trace::default();
    let names = length(bytes, 8)?;
    trace.names.reserve_exact(names);
    for _ in 0..names {
        trace.names.push(TaskName(word(bytes)?));
    }
    let transitions = length(bytes, 4)?;
    trace.transitions.reserve_exact(transitions);
    for _ in 0..transitions {
        let task = TaskId(number(bytes)?);
        let kind = take(bytes)?;
        let choice = match kind >> 1 {
            0 => Choice::None,
            1 => Choice::Section(number(bytes)?),
            2 => Choice::Take(number(bytes)?),
            3 => Choice::Give(number(bytes)?),
            _ => return None,
        };
        let start = number(bytes)?;
        let accesses = start..start.checked_add(number(bytes)?)?;
        trace.transitions.push(Transition { task, choice, closed: kind & 1 != 0, accesses });
    }
    let log = length(bytes, 2)?;
    trace.log.reserve_exact(log);
    for _ in 0..log {
        let kind = byte(bytes)?;
        let first = number(bytes)?;
        let mut second = || number(bytes);
        trace.log.push(match kind {
            0 => Hard::Begin(first),
            1 => Hard::Spawn { parent: TaskId(first), child: TaskId(second()?) },
            2 => Hard::End { task: TaskId(first), scope: ScopeId(second()?) },
            3 => Hard::FinishEnd { task: TaskId(first), scope: ScopeId(second()?) },
            4 => Hard::Signal { task: TaskId(first), sync: SyncId(second()?) },
            5 => Hard::Join { task: TaskId(first), sync: SyncId(second()?) },
            6 => Hard::Leave { section: first, task: TaskId(second()?) },
            _ => return None,
        });
    }
    let accesses = length(bytes, 10)?;
    trace.accesses.reserve_exact(accesses);
    trace.sites.reserve_exact(accesses);
    for _ in 0..accesses {
        let location = word(bytes)?;
        let effect = match byte(bytes)? {
            0 => Effect::Read,
            1 => Effect::Add,
            2 => Effect::Write,
            _ => return None,
        };
        trace.accesses.push((location, effect));
        trace.sites.push(SiteId(number(bytes)?));
    }
    Some(trace)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::event::{AccessKind, Observer, SyncKind};
    use crate::ids::Location;
    use crate::random::Random;

    /// What random tasks do, mostly in sections.
    fn recorded(random: &mut Random) -> Trace {
        let mut trace = Trace::new();
        for _ in 0..1 + random.below(40) {
            let tasks = trace.names.len();
            let task = TaskId::at(random.below(tasks));
            trace.turn(task);
            let sync = SyncId(random.next() as u32);
            trace.join(task, sync, SyncKind::Lock);
            for _ in 0..random.below(4) {
                let kind = if random.below(2) == 0 { AccessKind::Read } else { AccessKind::Write };
                let (location, site) = (Location(random.next()), SiteId(random.next() as u32));
                match random.below(3) {
                    0 => trace.addition(task, kind, location, site),
                    _ => trace.access(task, kind, location, site),
                }
            }
            match random.below(5) {
                0 => trace.spawn(task, TaskId::at(tasks), ScopeId(random.below(9) as u32), SiteId(0)),
                1 => trace.end(task),
                2 => trace.finish_end(task, ScopeId(random.next() as u32)),
                3 => trace.signal(task, sync, SyncKind::Lock),
                _ => trace.signal(task, SyncId(1), SyncKind::Promise),
            }
            if random.below(8) == 0 {
                trace.transitions.last_mut().expect("a turn has begun").choice = Choice::Give(sync.0);
            }
        }
        trace.finish();
        trace
    }

    fn debug(trace: &Trace) -> String {
        let Trace { transitions, log, names, accesses, sites, .. } = trace;
        format!("{transitions:?} {log:?} {names:?} {accesses:?} {sites:?}")
    }

    #[test]
    fn traces_come_back() {
        let mut random = Random(7);
        for _ in 0..200 {
            let trace = recorded(&mut random);
            let bytes = trace.to_bytes();
            let again = Trace::from_bytes(&bytes).expect("it was written so");
            assert_eq!(debug(&trace), debug(&again));
            assert_eq!((trace.check(), trace.fingerprints()), (again.check(), again.fingerprints()));
        }
        let empty = Trace::from_bytes(&Trace::new().to_bytes());
        assert_eq!(empty.map(|trace| trace.names), Ok(vec![TaskName::MAIN]));
    }

    #[test]
    fn damage_is_an_error_or_another_trace() {
        let mut random = Random(8);
        for _ in 0..20 {
            let bytes = recorded(&mut random).to_bytes();
            for cut in 0..bytes.len() {
                assert!(Trace::from_bytes(&bytes[..cut]).is_err_and(|at| at <= cut), "{cut}");
            }
            for _ in 0..500 {
                let mut damaged = bytes.clone();
                let at = random.below(bytes.len());
                damaged[at] = random.next() as u8;
                let _ = Trace::from_bytes(&damaged).map(|trace| trace.check().map(|()| trace.fingerprints()));
            }
        }
        assert_eq!(Trace::from_bytes(&[0, 0, 0, 0, 0]).err(), Some(4), "there is more than a trace");
    }
}
