//! The same-epoch check for many cells at once: an access that the running step has already made
//! needs nothing more.
//!
//! The entry points run the same check for one cell in assembly (`tsan`), and [`Detector::read`]
//! and [`Detector::write`] begin with it. A read hits if the running step wrote the cell or is its
//! last reader; a write hits if the running step is the writer and nobody has read since.
//!
//! Hot path. Budget: three or four instructions a cell.

use super::Detector;
use crate::detect::cell::{AccessId, Cell, Reference};
use crate::detect::now;
use crate::detect::shadow;
use raceproof_core::event::AccessKind;
use std::arch::x86_64::{
    _mm_and_si128, _mm_castps_si128, _mm_castsi128_ps, _mm_cmpeq_epi32, _mm_cmpgt_epi32, _mm_loadu_si128,
    _mm_movemask_ps, _mm_or_si128, _mm_set1_epi32, _mm_setzero_si128, _mm_shuffle_ps, _mm_xor_si128,
};

/// Cells of which the writers, and the readers, fill a register.
const AT_ONCE: usize = 4;

impl Detector {
    /// Whether the running step has accessed these bytes of a word, which have cells of their own,
    /// before.
    pub(crate) fn are_same_epoch(&self, bytes: std::ops::Range<usize>, kind: AccessKind) -> bool {
        // SAFETY: every address has its cell in the region reserved at the start.
        let Some(Reference::Bytes(group)) = (unsafe { *shadow::cell(bytes.start) }).reference() else {
            return false;
        };
        let cells = &self.bytes[group][bytes.start % 4..][..bytes.len()];
        cells.iter().all(|cell| is_same_epoch(*cell, kind, self.first()))
    }
}

/// Whether a step whose first access id is `first` has made the access before.
#[inline(always)]
pub(crate) fn is_same_epoch(cell: Cell, kind: AccessKind, first: AccessId) -> bool {
    match kind {
        AccessKind::Read => cell.writer.is_since(first) || cell.readers.is_since(first, now::first_set()),
        AccessKind::Write => cell.writer.is_since(first) && cell.readers.is_none(),
    }
}

/// How many cells, from the first one on, hit the check.
#[inline(always)]
pub(crate) fn count_same_epoch(cells: &[Cell], kind: AccessKind, first: AccessId) -> usize {
    let (fours, rest) = cells.as_chunks::<AT_ONCE>();
    for (number, four) in fours.iter().enumerate() {
        let mask = same_epoch_mask(four, kind, first);
        if mask != (1 << AT_ONCE) - 1 {
            return number * AT_ONCE + mask.trailing_ones() as usize;
        }
    }
    let more = rest.iter().position(|cell| !is_same_epoch(*cell, kind, first)).unwrap_or(rest.len());
    fours.len() * AT_ONCE + more
}

/// The check of four cells, as a bit mask.
#[inline(always)]
fn same_epoch_mask(cells: &[Cell; AT_ONCE], kind: AccessKind, first: AccessId) -> i32 {
    let at = cells.as_ptr().cast();
    // SAFETY: the cells are 32 bytes, and every x86-64 has these instructions. Numbers of accesses
    // begin at 1.
    unsafe {
        let (a, b) = (_mm_castsi128_ps(_mm_loadu_si128(at)), _mm_castsi128_ps(_mm_loadu_si128(at.add(1))));
        let writers = _mm_castps_si128(_mm_shuffle_ps::<0b10_00_10_00>(a, b));
        let readers = _mm_castps_si128(_mm_shuffle_ps::<0b11_01_11_01>(a, b));
        let before = _mm_set1_epi32(first.raw().wrapping_sub(1) as i32);
        let writes = _mm_cmpgt_epi32(writers, before);
        let done = match kind {
            AccessKind::Read => {
                // The comparison is signed: flip the sign bits to compare as unsigned.
                let highest = _mm_set1_epi32(i32::MIN);
                let before_set = _mm_set1_epi32(now::first_set().wrapping_sub(1) as i32 ^ i32::MIN);
                let is_own_set = _mm_cmpgt_epi32(_mm_xor_si128(readers, highest), before_set);
                _mm_or_si128(_mm_or_si128(writes, is_own_set), _mm_cmpgt_epi32(readers, before))
            }
            AccessKind::Write => _mm_and_si128(writes, _mm_cmpeq_epi32(readers, _mm_setzero_si128())),
        };
        _mm_movemask_ps(_mm_castsi128_ps(done))
    }
}
