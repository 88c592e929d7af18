//! Marked entries of a table, and the new numbers they get when the others go.
//!
//! A bit an entry. Where few of many are marked, they are found by the word, and the time goes by
//! what is kept, not by what there was.

/// Which entries of a table are marked.
#[derive(Clone, Debug)]
pub struct Marks {
    words: Vec<u64>,
    /// Entries of the table.
    of: usize,
}

impl Marks {
    pub fn none(of: usize) -> Self {
        Marks { words: vec![0; of.div_ceil(64)], of }
    }

    #[inline]
    pub fn has(&self, at: usize) -> bool {
        self.words[at / 64] >> (at % 64) & 1 != 0
    }

    /// Marks an entry; whether it was not yet.
    #[inline]
    pub fn add(&mut self, at: usize) -> bool {
        let (word, bit) = (&mut self.words[at / 64], 1 << (at % 64));
        let is_new = *word & bit == 0;
        *word |= bit;
        is_new
    }

    /// Visits the marked entries, first to last.
    #[inline]
    pub fn each(&self, mut work: impl FnMut(usize)) {
        for (at, &word) in self.words.iter().enumerate() {
            let mut left = word;
            while left != 0 {
                work(64 * at + left.trailing_zeros() as usize);
                left &= left - 1;
            }
        }
    }

    /// Visits the marked entries, last to first. The visitor may mark entries before the one it is
    /// at; it gets to them as well.
    #[inline]
    pub fn each_backwards(&mut self, mut work: impl FnMut(&mut Marks, usize)) {
        for word in (0..self.words.len()).rev() {
            let mut below = u64::MAX;
            while self.words[word] & below != 0 {
                let bit = 63 - (self.words[word] & below).leading_zeros();
                work(self, 64 * word + bit as usize);
                below = (1 << bit) - 1;
            }
        }
    }

    /// Numbers the marked entries, in their order.
    pub fn number(self) -> Numbers {
        let (mut new, mut next) = (vec![0; self.of], 0);
        self.each(|old| {
            next += 1;
            new[old] = next;
        });
        Numbers { kept: self, new, count: next }
    }
}

/// New numbers of what is kept of a table.
#[derive(Clone, Debug)]
pub struct Numbers {
    kept: Marks,
    /// By the old number, one more than the new one, or 0.
    new: Vec<u32>,
    count: u32,
}

impl Numbers {
    /// The new number, if the entry is kept and there was one.
    #[inline]
    pub fn get(&self, old: u32) -> Option<u32> {
        self.new.get(old as usize)?.checked_sub(1)
    }

    /// The new number of an entry that is kept; of another one, `u32::MAX`.
    #[inline]
    pub fn of(&self, old: u32) -> u32 {
        self.new[old as usize].wrapping_sub(1)
    }

    /// How many of the entries before `bound` are kept.
    pub fn before(&self, bound: u32) -> u32 {
        let word = bound as usize / 64;
        let mut left = self.kept.words.get(word).map_or(0, |first| first & u64::MAX << (bound % 64));
        for (at, next) in (word..).zip(self.kept.words.iter().skip(word + 1).chain([&0])) {
            if left != 0 {
                return self.of(64 * at as u32 + left.trailing_zeros());
            }
            left = *next;
        }
        self.count
    }

    /// Keeps the entries of the table that are to be kept, each as `change` makes it of the old
    /// number and entry.
    pub fn gather<T: Clone>(&self, table: &mut Vec<T>, mut change: impl FnMut(usize, T) -> T) {
        let (before, mut next) = (table.len(), 0);
        self.kept.each(|old| {
            table[next] = change(old, table[old].clone());
            next += 1;
        });
        table.truncate(next);
        give_back(table, before);
    }
}

/// Gives back memory of a table that had so many entries, unless it will grow to as many again.
pub fn give_back<T>(table: &mut Vec<T>, before: usize) {
    if table.capacity() > 4 * before + 1024 {
        table.shrink_to(2 * before);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_marked_is_kept_in_order() {
        let old = [0, 3, 63, 64, 127, 128, 200];
        let mut marks = Marks::none(201);
        for at in old {
            assert!(marks.add(at) && !marks.add(at) && marks.has(at));
        }
        let mut told = Vec::new();
        marks.each(|at| told.push(at));
        assert_eq!(told, old);
        let mut table: Vec<usize> = (0..201).collect();
        let numbers = marks.number();
        numbers.gather(&mut table, |at, entry| {
            assert_eq!(at, entry);
            entry + 1
        });
        assert_eq!(table, old.map(|at| at + 1));
        assert_eq!((numbers.get(63), numbers.get(62), numbers.get(1000)), (Some(2), None, None));
        assert_eq!((numbers.of(200), numbers.of(199)), (6, u32::MAX));
        for bound in 0..300 {
            let kept = old.iter().filter(|at| **at < bound).count();
            assert_eq!(numbers.before(bound as u32), kept as u32, "before {bound}");
        }
    }

    /// From 150: half of each, down to 1.
    #[test]
    fn marks_made_on_the_way_back_are_met() {
        let mut marks = Marks::none(151);
        marks.add(150);
        let mut told = Vec::new();
        marks.each_backwards(|marks, at| {
            told.push(at);
            marks.add(at / 2);
        });
        assert_eq!(told, [150, 75, 37, 18, 9, 4, 2, 1, 0]);
    }
}
