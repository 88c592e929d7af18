//! Vector clocks and epochs over tasks that come and go.
//!
//! A *slot* is a place in the vectors; a task has one as long as it lives, and a later task may get
//! it again (`hard.rs` says when). A slot's *time* counts the stretches of its tasks' events that
//! no other task can distinguish: it goes up after every event that another task can be ordered
//! after. Times begin at 1: zero is "nothing".
//!
//! Mattern, *Virtual time and global states of distributed systems* (1988); epochs are Flanagan and
//! Freund's, *FastTrack* (PLDI 2009). Cost: an epoch is compared with a clock in O(1); joining and
//! copying are linear in the number of slots known, and the loops are plain enough for the compiler
//! to vectorise. With hundreds of tasks they are bound by memory, so that times have 16 bits as
//! long as these suffice.
//!
//! From slot [`WIDE`] on that would be too much: a clock that knows of one is a tree, which shares
//! its parts with those it was copied from ([`clock_tree`](super::clock_tree)).

use super::clock_tree::Tree;

/// A stretch of events of one task: its slot and the time there.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Epoch {
    pub slot: u32,
    pub time: u32,
}

/// For each slot, up to which time its events are known. Slots past the end are unknown.
#[derive(PartialEq, Eq, Debug)]
pub struct Clock {
    times: Times,
}

#[derive(PartialEq, Eq, Debug)]
pub(crate) enum Times {
    Short(Vec<u16>),
    Long(Vec<Time>),
    Tree(Tree),
}

/// One of the forms of a clock, for loops that ask it often.
pub(crate) trait Known {
    /// Whether the events of `epoch` are known.
    fn covers(&self, epoch: Epoch) -> bool;
}

impl Known for [u16] {
    #[inline]
    fn covers(&self, epoch: Epoch) -> bool {
        self.get(epoch.slot as usize).map_or(0, |&time| time.into()) >= epoch.time
    }
}

impl Known for [Time] {
    #[inline]
    fn covers(&self, epoch: Epoch) -> bool {
        self.get(epoch.slot as usize).copied().unwrap_or(UNKNOWN) >= signed(epoch.time)
    }
}

impl Known for Tree {
    fn covers(&self, epoch: Epoch) -> bool {
        self.get(epoch.slot as usize) >= signed(epoch.time)
    }
}

/// A time from [`UNKNOWN`] on up: every x86-64 has an instruction that compares vectors of signed
/// numbers, and none that compares unsigned ones.
pub(super) type Time = i32;

/// Time 0.
pub(super) const UNKNOWN: Time = i32::MIN;

/// From this slot on clocks are trees.
pub(super) const WIDE: u32 = 2048;

#[inline]
pub(super) fn signed(time: u32) -> Time {
    (time as i32).wrapping_add(UNKNOWN)
}

#[inline]
pub(super) fn unsigned(time: Time) -> u32 {
    time.wrapping_sub(UNKNOWN) as u32
}

/// Makes each time the later of the two, as far as both go.
pub(super) fn raise<T: Ord + Copy>(mine: &mut [T], theirs: &[T]) {
    mine.iter_mut().zip(theirs).for_each(|(mine, &theirs)| *mine = (*mine).max(theirs));
}

/// A place in a list, which grows if it has none.
#[inline]
fn place<T: Copy>(list: &mut Vec<T>, slot: u32, unknown: T) -> &mut T {
    let index = slot as usize;
    if index >= list.len() {
        list.resize(index + 1, unknown);
    }
    &mut list[index]
}

/// Joins lists of different length.
fn join_lists<T: Ord + Copy>(mine: &mut Vec<T>, theirs: &[T], unknown: T) {
    if mine.len() < theirs.len() {
        mine.resize(theirs.len(), unknown);
    }
    raise(mine, theirs);
}

impl Default for Clock {
    fn default() -> Self {
        Clock { times: Times::Short(Vec::new()) }
    }
}

impl Clone for Clock {
    fn clone(&self) -> Self {
        let times = match &self.times {
            Times::Short(times) => Times::Short(times.clone()),
            Times::Long(times) => Times::Long(times.clone()),
            Times::Tree(tree) => Times::Tree(tree.clone()),
        };
        Clock { times }
    }

    /// Keeps the memory there is: the clocks of locks and slots are overwritten all the time.
    fn clone_from(&mut self, source: &Self) {
        match (&mut self.times, &source.times) {
            (Times::Short(mine), Times::Short(theirs)) => mine.clone_from(theirs),
            (Times::Long(mine), Times::Long(theirs)) => mine.clone_from(theirs),
            _ => *self = source.clone(),
        }
    }
}

impl Clock {
    #[inline]
    pub fn get(&self, slot: u32) -> u32 {
        match &self.times {
            Times::Short(times) => times.get(slot as usize).map_or(0, |&time| time.into()),
            Times::Long(times) => times.get(slot as usize).map_or(0, |&time| unsigned(time)),
            Times::Tree(tree) => unsigned(tree.get(slot as usize)),
        }
    }

    pub fn set(&mut self, slot: u32, time: u32) {
        if slot >= WIDE {
            self.widen();
        }
        match (&mut self.times, u16::try_from(time)) {
            (Times::Short(times), Ok(time)) => *place(times, slot, 0) = time,
            (Times::Long(times), _) => *place(times, slot, UNKNOWN) = signed(time),
            (Times::Tree(tree), _) => tree.set(slot as usize, signed(time)),
            (Times::Short(_), Err(_)) => {
                self.lengthen();
                self.set(slot, time);
            }
        }
    }

    /// Becomes a list of long times, if it is one of short ones.
    #[cold]
    fn lengthen(&mut self) {
        if let Times::Short(_) = self.times {
            let mut times = Vec::new();
            self.times.list(&mut times);
            self.times = Times::Long(times);
        }
    }

    /// Becomes a tree, if it is none: what is copied from it from now on shares its parts.
    pub(super) fn widen(&mut self) -> &mut Tree {
        if self.tree().is_none() {
            let mut times = Vec::new();
            self.times.list(&mut times);
            self.times = Times::Tree(Tree::new(&times));
        }
        match &mut self.times {
            Times::Tree(tree) => tree,
            _ => unreachable!("it has become a tree"),
        }
    }

    /// Takes note that whoever knows `epoch` knows all of it, which makes joining trees faster.
    pub(super) fn rest_on(&mut self, epoch: Epoch) {
        if let Times::Tree(tree) = &mut self.times {
            tree.rest_on(epoch);
        }
    }

    /// A copy that is no task's: for what several know together.
    pub(super) fn gathered(&self) -> Self {
        let mut all = self.clone();
        if let Times::Tree(tree) = &mut all.times {
            tree.disown();
        }
        all
    }

    /// Whether it knows the events of `epoch`.
    #[inline]
    pub fn covers(&self, epoch: Epoch) -> bool {
        self.get(epoch.slot) >= epoch.time
    }

    pub(crate) fn times(&self) -> &Times {
        &self.times
    }

    /// Takes over what `other` knows.
    pub fn join(&mut self, other: &Clock) {
        match (&mut self.times, &other.times) {
            (Times::Short(mine), Times::Short(theirs)) => join_lists(mine, theirs, 0),
            (Times::Long(mine), Times::Long(theirs)) => join_lists(mine, theirs, UNKNOWN),
            (_, Times::Tree(theirs)) => self.widen().join(theirs),
            (_, theirs) => {
                let mut times = Vec::new();
                theirs.list(&mut times);
                self.join_times(0, &times);
            }
        }
    }

    /// The times of all slots; of a tree none.
    pub(super) fn list(&self, out: &mut Vec<Time>) {
        self.times.list(out);
    }

    /// What is known if it is a tree.
    pub(super) fn tree(&self) -> Option<&Tree> {
        match &self.times {
            Times::Tree(tree) => Some(tree),
            _ => None,
        }
    }

    /// Takes over what is known of the slots from `first` on.
    pub(super) fn join_times(&mut self, first: usize, times: &[Time]) {
        for (slot, &time) in (first as u32..).zip(times) {
            self.learn(Epoch { slot, time: unsigned(time) });
        }
    }

    /// Takes over one epoch only.
    pub fn learn(&mut self, epoch: Epoch) {
        if !self.covers(epoch) {
            self.set(epoch.slot, epoch.time);
        }
    }

    /// Begins the next time of `slot`, whose task has published the clock.
    ///
    /// Panics after 2³² − 1 of them: a run would take hours to get there, and wrapping would hide
    /// races.
    pub fn tick(&mut self, slot: u32) {
        let ended = Epoch { slot, time: self.get(slot) };
        let time = ended.time.checked_add(1).expect("more than 2^32 synchronisations of one task");
        match &mut self.times {
            Times::Tree(tree) => tree.tick(ended),
            _ => self.set(slot, time),
        }
    }

    /// From being the copy of a parent's clock, at its spawn in the epoch `parent`, becomes that of
    /// the child.
    pub(super) fn begin(&mut self, slot: u32, time: u32, parent: Epoch) {
        if slot >= WIDE {
            self.widen();
        }
        match &mut self.times {
            Times::Tree(tree) => tree.begin(slot, signed(time), parent),
            _ => self.set(slot, time),
        }
    }
}

impl Times {
    /// The times of a list in turn; a tree has none.
    fn list(&self, out: &mut Vec<Time>) {
        out.clear();
        match self {
            Times::Short(times) => out.extend(times.iter().map(|&time| signed(time.into()))),
            Times::Long(times) => out.extend_from_slice(times),
            Times::Tree(_) => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::random;

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

    #[test]
    fn lists_and_trees_agree_with_a_plain_list() {
        let mut random = random(1);
        let mut below = |bound: u32| random(bound as usize) as u32;
        const CLOCKS: u32 = 6;
        for round in 0..40 {
            // From lists only to trees of three levels.
            let slots = [20, 300, 3 * WIDE, 40 * WIDE][round % 4];
            let mut clocks: Vec<Clock> = (0..CLOCKS).map(|_| Clock::default()).collect();
            let mut plain = vec![vec![0u32; slots as usize]; CLOCKS as usize];
            for _ in 0..300 {
                let (a, b) = (below(CLOCKS) as usize, below(CLOCKS) as usize);
                let slot = if below(2) == 0 { below(slots) } else { below(20) };
                match below(3) {
                    0 => {
                        // Now and then a time that is not short.
                        let step = if below(100) == 0 { 70_000 } else { 1 };
                        plain[a][slot as usize] += step;
                        clocks[a].set(slot, plain[a][slot as usize]);
                    }
                    1 => {
                        let (other, theirs) = (clocks[b].clone(), plain[b].clone());
                        clocks[a].join(&other);
                        plain[a]
                            .iter_mut()
                            .zip(theirs)
                            .for_each(|(mine, theirs)| *mine = (*mine).max(theirs));
                    }
                    _ => {
                        let (other, theirs) = (clocks[b].clone(), plain[b].clone());
                        clocks[a].clone_from(&other);
                        plain[a] = theirs;
                    }
                }
            }
            for (clock, plain) in clocks.iter().zip(&plain) {
                for (slot, &time) in (0..).zip(plain) {
                    assert_eq!(clock.get(slot), time);
                    assert!(
                        clock.covers(Epoch { slot, time }) && !clock.covers(Epoch { slot, time: time + 1 })
                    );
                }
            }
        }
    }
}
