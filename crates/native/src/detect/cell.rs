//! Packed shadow types: what the cell of four bytes, or of one, holds in eight.
//!
//! | half | bits | meaning |
//! | --- | --- | --- |
//! | either | `0…0` | nobody |
//! | either | `0`, id (31) | one access |
//! | writer | `1`, index (30), `0` | a reference to a group of cells, one a byte |
//! | writer | `1`, index (30), `1` | a reference to a record of plain and atomic accesses |
//! | readers | `11`, index (30) | a set of readers |
//! | readers | `10`, id (29), write (1) | beside a reference to a record: the epoch of its last access |
//!
//! The sign bit separates accesses from all else, so that "an access of the running step" is one
//! signed comparison. Sets are greater, as unsigned words, than all accesses and epochs, and grow
//! as they are created, so that "a set that the running step created" is one unsigned comparison.
//!
//! Hot path: everything here is inlined, and compiles to the integer operation it names.

use raceproof_core::detect::readers::{Readers, SetId};
use raceproof_core::event::AccessKind;
use raceproof_core::ids::StepId;

/// The id of an access record; ids grow in the order in which records are created. Invariant: below
/// 2^31.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Debug)]
#[repr(transparent)]
pub(crate) struct AccessId(u32);

impl AccessId {
    /// No access.
    pub(crate) const NONE: AccessId = AccessId(0);
    /// Greater than the id of any access.
    pub(crate) const MAX: AccessId = AccessId(i32::MAX as u32);

    /// The id of the record at this index of the table, which has fewer than 2^31.
    #[inline(always)]
    pub(crate) fn at(index: usize) -> Self {
        debug_assert!(index <= Self::MAX.index());
        AccessId(index as u32)
    }

    /// The same where the table may be full.
    pub(crate) fn try_at(index: usize) -> Option<Self> {
        (index < Self::MAX.index()).then_some(AccessId(index as u32))
    }

    /// From the word that the entry points read.
    #[inline(always)]
    pub(crate) fn from_raw(raw: u32) -> Self {
        AccessId(raw)
    }

    #[inline(always)]
    pub(crate) const fn raw(self) -> u32 {
        self.0
    }

    #[inline(always)]
    pub(crate) const fn index(self) -> usize {
        self.0 as usize
    }

    /// Whether the access was made before the present user of a stack began. `born` is the time at
    /// which it did, or negative for a stack without a user.
    #[inline(always)]
    pub(crate) fn is_before(self, born: i32) -> bool {
        (self.0 as i32) < born
    }

    /// As an element of a set of readers, which the core calls a step.
    #[inline(always)]
    pub(crate) fn element(self) -> StepId {
        StepId(self.0)
    }

    #[inline(always)]
    pub(crate) fn of_element(element: StepId) -> Self {
        AccessId(element.0)
    }
}

/// The writer of a cell: nobody, an access, or instead of one a reference.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
#[repr(transparent)]
pub(crate) struct WriterRef(i32);

impl WriterRef {
    pub(crate) const NONE: WriterRef = WriterRef(0);

    #[inline(always)]
    pub(crate) fn is_reference(self) -> bool {
        self.0 < 0
    }

    #[inline(always)]
    pub(crate) fn access(self) -> Option<AccessId> {
        (self.0 > 0).then_some(AccessId(self.0 as u32))
    }

    /// The access, or [`AccessId::NONE`], of a cell that is no reference.
    #[inline(always)]
    pub(crate) fn id(self) -> AccessId {
        debug_assert!(!self.is_reference());
        AccessId(self.0 as u32)
    }

    /// Whether it is an access from `first` on.
    #[inline(always)]
    pub(crate) fn is_since(self, first: AccessId) -> bool {
        self.0 >= first.0 as i32
    }
}

impl From<AccessId> for WriterRef {
    #[inline(always)]
    fn from(id: AccessId) -> Self {
        WriterRef(id.0 as i32)
    }
}

/// The readers of a cell: nobody, one access, a set, or beside a reference an epoch.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
#[repr(transparent)]
pub(crate) struct ReaderRef(i32);

/// The tag of a set.
const SET: i32 = i32::MIN | 1 << 30;

impl ReaderRef {
    pub(crate) const NONE: ReaderRef = ReaderRef(0);

    #[inline(always)]
    pub(crate) fn is_none(self) -> bool {
        self.0 == 0
    }

    /// Whether there are several; of a cell that is no reference.
    #[inline(always)]
    pub(crate) fn is_set(self) -> bool {
        self.0 < 0
    }

    /// The only reader.
    #[inline(always)]
    pub(crate) fn one(self) -> Option<AccessId> {
        (self.0 > 0).then_some(AccessId(self.0 as u32))
    }

    /// The only reader, or [`AccessId::NONE`], where there is no set.
    #[inline(always)]
    pub(crate) fn id(self) -> AccessId {
        debug_assert!(!self.is_set());
        AccessId(self.0 as u32)
    }

    #[inline(always)]
    pub(crate) fn readers(self) -> Option<Readers> {
        match self.0 {
            0 => None,
            one if one > 0 => Some(Readers::One(StepId(one as u32))),
            _ => Some(Readers::Set(self.set_id())),
        }
    }

    #[inline(always)]
    pub(crate) fn set_id(self) -> SetId {
        debug_assert!(self.is_set());
        SetId((self.0 & !SET) as u32)
    }

    /// The first word that stands for this set or a later one.
    #[inline(always)]
    pub(crate) fn first_of_sets(set: u32) -> u32 {
        SET as u32 | set
    }

    /// Whether the only reader has an id from `first` on.
    #[inline(always)]
    pub(crate) fn is_one_since(self, first: AccessId) -> bool {
        self.0 >= first.0 as i32
    }

    /// Whether the step that begins with the access `first` and the set `first_set` is the last
    /// reader.
    #[inline(always)]
    pub(crate) fn is_since(self, first: AccessId, first_set: u32) -> bool {
        self.is_one_since(first) || self.0 as u32 >= first_set
    }

    /// Whether there is no reader, or one from before the present user of a stack began.
    #[inline(always)]
    pub(crate) fn is_before(self, born: i32) -> bool {
        (0..born).contains(&self.0)
    }

    /// A hash of it, for tables of a power of two.
    #[inline(always)]
    pub(crate) fn hash(self) -> usize {
        self.0 as usize
    }

    fn raw(self) -> u32 {
        self.0 as u32
    }
}

impl From<AccessId> for ReaderRef {
    #[inline(always)]
    fn from(id: AccessId) -> Self {
        ReaderRef(id.0 as i32)
    }
}

impl From<Readers> for ReaderRef {
    #[inline(always)]
    fn from(readers: Readers) -> Self {
        match readers {
            Readers::One(id) => ReaderRef(id.0 as i32),
            Readers::Set(set) if set.0 < 1 << 30 => ReaderRef(set.0 as i32 | SET),
            Readers::Set(_) => {
                crate::fatal("more than 2^30 sets of readers in memory: more than this version can count")
            }
        }
    }
}

/// The shadow cell.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
#[repr(C, align(8))]
pub(crate) struct Cell {
    pub(crate) writer: WriterRef,
    pub(crate) readers: ReaderRef,
}

const _: () = assert!(size_of::<Cell>() == size_of::<u64>() && align_of::<Cell>() == align_of::<u64>());

/// What a cell refers to where eight bytes are not enough, by index.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Reference {
    /// A group of cells, one a byte.
    Bytes(u32),
    /// A record of plain and atomic accesses.
    Mixed(u32),
}

impl Cell {
    /// No cell is like this one: a reference with readers.
    pub(crate) const IMPOSSIBLE: Cell = Cell { writer: WriterRef(-1), readers: ReaderRef(-1) };

    /// A cell that an access has written, and nobody has read since.
    #[inline(always)]
    pub(crate) fn written_by(id: AccessId) -> Cell {
        Cell { writer: id.into(), readers: ReaderRef::NONE }
    }

    /// Stores it into cells, each as one word: a load right after a store in parts would stall
    /// store forwarding.
    #[inline(always)]
    pub(crate) fn put<const N: usize>(self, cells: &mut [Cell; N]) {
        // SAFETY: a cell is a word, aligned as one (asserted above), and any word is a cell.
        unsafe { *std::ptr::from_mut(cells).cast::<[u64; N]>() = [self.into(); N] };
    }

    /// Whether it holds an id, and all its ids are below the happens-before watermark.
    #[inline(always)]
    pub(crate) fn is_below(self, watermark: u32) -> bool {
        let greater = (self.writer.0 as u32).max(self.readers.0 as u32);
        greater.wrapping_sub(1) < watermark
    }

    /// Whether it holds access ids only: no reference, and no set of readers.
    #[inline(always)]
    pub(crate) fn has_accesses_only(self) -> bool {
        self.writer.0 | self.readers.0 >= 0
    }

    /// Whether all its accesses were made before the present user of a stack began.
    #[inline(always)]
    pub(crate) fn is_before(self, born: i32) -> bool {
        self.writer.0 < born && self.readers.is_before(born)
    }

    /// The greatest access id it holds, also as an epoch; of sets a word greater than any.
    pub(crate) fn greatest(self) -> u32 {
        if self.writer.is_reference() {
            return (self.readers.0 & i32::MAX) as u32 >> 1;
        }
        (self.writer.0 as u32).max(self.readers.raw())
    }

    pub(crate) fn refer(to: Reference) -> Cell {
        let (number, kind) = match to {
            Reference::Bytes(number) => (number, 0),
            Reference::Mixed(number) => (number, 1),
        };
        Cell { writer: WriterRef(i32::MIN | (number << 1 | kind) as i32), readers: ReaderRef::NONE }
    }

    /// A reference to a record with the epoch of its last access: atomic accesses by the same step
    /// hit the same-epoch check, unless they write and that did not. Without an epoch if there are
    /// too many accesses.
    #[inline]
    pub(crate) fn refer_at(record: u32, last: AccessId, kind: AccessKind) -> Cell {
        let writes = u32::from(kind == AccessKind::Write);
        let readers = Cell::epoch_from(last).map_or(0, |epoch| (epoch | writes) as i32);
        Cell { readers: ReaderRef(readers), ..Cell::refer(Reference::Mixed(record)) }
    }

    /// The least epoch of the access with this id, or a later one, as `readers` holds it. None is
    /// greater than [`LAST_EPOCH`].
    #[inline(always)]
    pub(crate) fn epoch_from(id: AccessId) -> Option<u32> {
        (id.0 < EPOCHS).then_some(1 << 31 | id.0 << 1)
    }

    /// Whether a reference to a record has noted the epoch `from`, or a later one, and it suffices
    /// for an access of this kind.
    #[inline(always)]
    pub(crate) fn is_since(self, from: u32, kind: AccessKind) -> bool {
        let epoch = self.readers.0 as u32;
        epoch >= from && epoch <= LAST_EPOCH && (kind == AccessKind::Read || epoch & 1 != 0)
    }

    #[inline]
    pub(crate) fn reference(self) -> Option<Reference> {
        if !self.writer.is_reference() {
            return None;
        }
        let number = (self.writer.0 & i32::MAX) as u32 >> 1;
        Some(if self.writer.0 & 1 == 0 { Reference::Bytes(number) } else { Reference::Mixed(number) })
    }
}

/// Access ids that an epoch can hold: the encodings of reader sets begin behind them.
const EPOCHS: u32 = 1 << 29;
pub(crate) const LAST_EPOCH: u32 = (1 << 31) + 2 * EPOCHS - 1;

/// A cell as one word, to be compared with others.
impl From<u64> for Cell {
    #[inline(always)]
    fn from(word: u64) -> Self {
        Cell { writer: WriterRef(word as i32), readers: ReaderRef((word >> 32) as i32) }
    }
}

impl From<Cell> for u64 {
    #[inline(always)]
    fn from(cell: Cell) -> Self {
        u64::from(cell.readers.0 as u32) << 32 | u64::from(cell.writer.0 as u32)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn readers_survive_packing() {
        for readers in
            [Readers::One(StepId(1)), Readers::One(StepId(i32::MAX as u32)), Readers::Set(SetId(0))]
        {
            assert_eq!(ReaderRef::from(readers).readers(), Some(readers));
        }
        assert_eq!(ReaderRef::NONE.readers(), None);
        // A set is no access of any step, and one from `first_of_sets` on is the step's.
        let set = ReaderRef::from(Readers::Set(SetId(7)));
        assert!(
            !set.is_one_since(AccessId::at(1)) && set.is_since(AccessId::MAX, ReaderRef::first_of_sets(7))
        );
        assert!(!set.is_since(AccessId::MAX, ReaderRef::first_of_sets(8)));
    }

    #[test]
    fn references_survive_packing() {
        for reference in [Reference::Bytes(0), Reference::Mixed(0), Reference::Mixed((1 << 30) - 1)] {
            let cell = Cell::refer(reference);
            assert_eq!(cell.reference(), Some(reference));
            assert!(!cell.writer.is_since(AccessId::at(1)) && cell.writer.access().is_none());
            assert_eq!(Cell::from(u64::from(cell)), cell);
        }
        let noted = Cell::refer_at(3, AccessId::at(5), AccessKind::Read);
        assert_eq!((noted.reference(), noted.greatest()), (Some(Reference::Mixed(3)), 5));
        let from = Cell::epoch_from(AccessId::at(5)).unwrap();
        assert!(noted.is_since(from, AccessKind::Read) && !noted.is_since(from, AccessKind::Write));
        assert!(!noted.is_since(from + 2, AccessKind::Read));
    }
}
