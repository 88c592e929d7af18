//! Vector clocks and epochs over tasks that come and go.
//!
//! A *slot* is a place in the vectors; a task has one as long as it lives, and a later task may get it again
//! (`hard.rs` says when). A slot's *time* counts the stretches of its tasks' events that nothing outside can tell apart:
//! it goes up after every event that another task can be ordered after. Times begin at 1: zero is "nothing".
//!
//! Mattern, *Virtual time and global states of distributed systems* (1988); epochs are Flanagan and Freund's,
//! *FastTrack* (PLDI 2009). Cost: an epoch is compared with a clock in O(1); joining and copying are linear in the
//! number of slots known, and the loops are plain enough for the compiler to vectorise.

/// A stretch of events of one task: its slot and the time there.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Epoch {
    pub slot: u32,
    pub time: u32,
}

/// For each slot, up to which time its events are known. Slots past the end are unknown.
#[derive(PartialEq, Eq, Debug, Default)]
pub struct Clock {
    /// From `UNKNOWN` on up: every x86-64 has an instruction that compares vectors of signed numbers, and none that
    /// compares unsigned ones.
    times: Vec<i32>,
}

/// Time 0.
pub(super) const UNKNOWN: i32 = i32::MIN;

#[inline]
fn signed(time: u32) -> i32 {
    (time as i32).wrapping_add(UNKNOWN)
}

impl Clone for Clock {
    fn clone(&self) -> Self {
        Clock { times: self.times.clone() }
    }

    /// Keeps the memory there is: the clocks of locks and slots are overwritten all the time.
    fn clone_from(&mut self, source: &Self) {
        self.times.clone_from(&source.times);
    }
}

impl Clock {
    #[inline]
    pub fn get(&self, slot: u32) -> u32 {
        self.times.get(slot as usize).map_or(0, |&time| time.wrapping_sub(UNKNOWN) as u32)
    }

    pub fn set(&mut self, slot: u32, time: u32) {
        let index = slot as usize;
        if index >= self.times.len() {
            self.times.resize(index + 1, UNKNOWN);
        }
        self.times[index] = signed(time);
    }

    /// Whether it knows the events of `epoch`.
    #[inline]
    pub fn covers(&self, epoch: Epoch) -> bool {
        self.times.get(epoch.slot as usize).copied().unwrap_or(UNKNOWN) >= signed(epoch.time)
    }

    /// Takes over what `other` knows.
    pub fn join(&mut self, other: &Clock) {
        self.join_times(0, &other.times);
    }

    /// The times of all slots, as they are kept.
    pub(super) fn times(&self) -> &[i32] {
        &self.times
    }

    /// Takes over what is known of the slots from `first` on.
    pub(super) fn join_times(&mut self, first: usize, times: &[i32]) {
        if self.times.len() < first + times.len() {
            self.times.resize(first + times.len(), UNKNOWN);
        }
        for (mine, &theirs) in self.times[first..].iter_mut().zip(times) {
            *mine = (*mine).max(theirs);
        }
    }

    /// Takes over one epoch only.
    pub fn learn(&mut self, epoch: Epoch) {
        if !self.covers(epoch) {
            self.set(epoch.slot, epoch.time);
        }
    }

    /// Begins the next time of `slot`.
    ///
    /// Panics after 2³² − 1 of them: a run would take hours to get there, and wrapping would hide races.
    pub fn tick(&mut self, slot: u32) {
        let time = self.get(slot).checked_add(1).expect("more than 2^32 synchronisations of one task");
        self.set(slot, time);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clocks_of_different_length_join() {
        let (mut a, mut b) = (Clock::default(), Clock::default());
        a.set(0, 3);
        b.set(0, 1);
        b.set(4, 2);
        let mut joined = a.clone();
        joined.join(&b);
        assert_eq!((joined.get(0), joined.get(1), joined.get(4), joined.get(9)), (3, 0, 2, 0));
        b.join(&a);
        assert_eq!(b, joined);
        assert!(joined.covers(Epoch { slot: 4, time: 2 }) && !joined.covers(Epoch { slot: 4, time: 3 }));
        joined.learn(Epoch { slot: 4, time: 1 });
        joined.tick(4);
        assert_eq!(joined.get(4), 3);
    }
}
