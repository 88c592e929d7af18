//! Shadow memory: for every four bytes of the program's memory, who wrote them last and who has read them since.
//!
//! A cell is eight bytes: two numbers of accesses (see [`detector`](crate::detector)), zero for none. It stands at an
//! address computed from the program's, so that reaching it costs three instructions: the region is reserved whole, at a
//! fixed place, and the system gives it memory page by page as it is touched.
//!
//! Which addresses a program can have on x86-64 Linux: the executable and its heap near 0x55…, libraries, mappings
//! and stacks near 0x7f…, and, not position-independent, the first terabyte. Their low 42 bits tell these apart.
//!
//! Bytes: most accesses are aligned words. Memory that is accessed by the byte or half word has, in its cell, the
//! number of a group of four cells, one a byte.

use raceproof_core::event::AccessKind;
use std::arch::x86_64::{
    _mm_cmpeq_epi8, _mm_load_si128, _mm_movemask_epi8, _mm_or_si128, _mm_set1_epi64x, _mm_setzero_si128,
    _mm_xor_si128,
};
use std::io;

/// The cell of four bytes, or of one. A negative `writer` is no access but a reference, and then `readers` is the [epoch](Cell::refer_at) of a
/// record, or zero; else a negative `readers` is a set of readers.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
#[repr(C, align(8))]
pub(crate) struct Cell {
    pub(crate) writer: i32,
    pub(crate) readers: i32,
}

/// What the cell of memory that needs more than a cell refers to, by number.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Reference {
    /// A group of cells, one a byte.
    Bytes(u32),
    /// A record of plain and atomic accesses.
    Mixed(u32),
}

impl Cell {
    /// Puts it into cells, each as a whole: an entry point that reads one right after it was written in parts would have to wait.
    #[inline(always)]
    pub(crate) fn put<const N: usize>(self, cells: &mut [Cell; N]) {
        const { assert!(size_of::<Cell>() == size_of::<u64>() && align_of::<Cell>() == align_of::<u64>()) };
        // SAFETY: a cell is a word, aligned as one, and any word is a cell.
        unsafe { *std::ptr::from_mut(cells).cast::<[u64; N]>() = [self.into(); N] };
    }

    /// Whether it names something, and all of it is over.
    #[inline(always)]
    pub(crate) fn is_over(self) -> bool {
        let greater = (self.writer as u32).max(self.readers as u32);
        greater.wrapping_sub(1) < crate::now::over()
    }

    /// No cell is like this one: a reference with readers.
    pub(crate) const IMPOSSIBLE: Cell = Cell { writer: -1, readers: -1 };

    pub(crate) fn refer(to: Reference) -> Cell {
        let (number, kind) = match to {
            Reference::Bytes(number) => (number, 0),
            Reference::Mixed(number) => (number, 1),
        };
        Cell { writer: i32::MIN | (number << 1 | kind) as i32, readers: 0 }
    }

    /// A reference to a record that need not be looked at for atomic accesses by the step that made the access `made`, its last one so far, unless they write
    /// and that did not. If there are very many accesses this is not noted.
    #[inline]
    pub(crate) fn refer_at(record: u32, made: usize, kind: AccessKind) -> Cell {
        let writes = u32::from(kind == AccessKind::Write);
        let epoch = if made < EPOCHS as usize { Cell::epoch_from(made as i32) } else { None };
        let readers = epoch.map_or(0, |epoch| (epoch | writes) as i32);
        Cell { readers, ..Cell::refer(Reference::Mixed(record)) }
    }

    /// The least epoch of the access with this number, or a later one, as it stands in `readers`. None is greater than [`LAST_EPOCH`].
    #[inline(always)]
    pub(crate) fn epoch_from(made: i32) -> Option<u32> {
        (made < EPOCHS).then_some(1 << 31 | (made as u32) << 1)
    }

    /// Whether a reference to a record has noted the epoch `from`, or a later one, and it suffices for an access of this kind.
    #[inline(always)]
    pub(crate) fn is_since(self, from: u32, kind: AccessKind) -> bool {
        let epoch = self.readers as u32;
        epoch >= from && epoch <= LAST_EPOCH && (kind == AccessKind::Read || epoch & 1 != 0)
    }

    #[inline]
    pub(crate) fn reference(self) -> Option<Reference> {
        if self.writer >= 0 {
            return None;
        }
        let number = (self.writer & i32::MAX) as u32 >> 1;
        Some(if self.writer & 1 == 0 { Reference::Bytes(number) } else { Reference::Mixed(number) })
    }
}

/// Numbers of accesses that can be noted in a reference: those of sets of readers begin behind them.
const EPOCHS: i32 = 1 << 29;
pub(crate) const LAST_EPOCH: u32 = (1 << 31) + 2 * EPOCHS as u32 - 1;

pub(crate) const BASE: usize = 0x1000_0000_0000;
pub(crate) const ADDRESS_MASK: usize = 0x3ff_ffff_fffc;
/// Two bytes of shadow for each byte that `ADDRESS_MASK` lets through.
const SIZE: usize = 0x800_0000_0000;

/// Where the cell of an address is.
#[inline(always)]
pub(crate) fn cell(address: usize) -> *mut Cell {
    (BASE + ((address & ADDRESS_MASK) << 1)) as *mut Cell
}

/// Reserves the region.
pub(crate) fn reserve() -> io::Result<()> {
    // SAFETY: the kernel refuses the mapping if anything is there already, so no memory of anyone is replaced.
    let at = unsafe {
        libc::mmap(
            BASE as *mut libc::c_void,
            SIZE,
            libc::PROT_READ | libc::PROT_WRITE,
            libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE | libc::MAP_FIXED_NOREPLACE,
            -1,
            0,
        )
    };
    if at == libc::MAP_FAILED {
        return Err(io::Error::last_os_error());
    }
    if at as usize != BASE {
        return Err(io::Error::other("the place of the shadow memory is taken"));
    }
    // SAFETY: the region is ours. Advice only: huge pages would commit shadow nobody uses, and a core dump needs none of it.
    unsafe {
        libc::madvise(at, SIZE, libc::MADV_NOHUGEPAGE);
        libc::madvise(at, SIZE, libc::MADV_DONTDUMP);
    }
    Ok(())
}

/// From this size on, forgetting gives pages back instead of writing zeros to them.
const LARGE: usize = 1 << 16;

/// Forgets all accesses to a range of addresses: nobody has used this memory yet.
pub(crate) fn forget(address: usize, size: usize) {
    if size == 0 {
        return;
    }
    let first = cell(address) as usize;
    let end = cell(address + size - 1) as usize + size_of::<Cell>();
    // The first and the last cell may be shared with neighbours that are no part of the range, but the allocator
    // gives out memory in larger units than a cell.
    let (mut from, mut to) = (first, end);
    if end - first >= LARGE {
        let page = 4096;
        let (inner, outer) = (first.next_multiple_of(page), end / page * page);
        // SAFETY: whole pages inside our region, of cells of memory that nobody but the caller uses.
        let given = unsafe { libc::madvise(inner as *mut libc::c_void, outer - inner, libc::MADV_DONTNEED) };
        if given == 0 {
            // SAFETY: as above, the rest of the last page.
            unsafe { std::ptr::write_bytes(outer as *mut u8, 0, end - outer) };
            (from, to) = (first, inner);
        }
    }
    // SAFETY: cells of memory that nobody but the caller uses; the region is mapped readable and writable.
    unsafe { std::ptr::write_bytes(from as *mut u8, 0, to - from) };
}

const PAGE: usize = 4096;

/// Cells that are looked at together, as words: a cache line, and as many groups on a page as a word has bits.
const GROUP: usize = 8;

#[repr(C, align(64))]
struct Group([u64; GROUP]);

/// A cell as one word, to be compared with others.
impl From<u64> for Cell {
    #[inline(always)]
    fn from(word: u64) -> Self {
        Cell { writer: word as i32, readers: (word >> 32) as i32 }
    }
}

impl From<Cell> for u64 {
    #[inline(always)]
    fn from(cell: Cell) -> Self {
        u64::from(cell.readers as u32) << 32 | u64::from(cell.writer as u32)
    }
}

/// Whether all cells of a group are this one.
#[inline(always)]
fn all_are(group: &Group, cell: u64) -> bool {
    let (pairs, _) = group.0.as_chunks::<2>();
    // SAFETY: every x86-64 processor has SSE2, and pairs of words from the start of a group are aligned as it wants them.
    unsafe {
        let (wanted, none) = (_mm_set1_epi64x(cell as i64), _mm_setzero_si128());
        let differ = pairs.iter().fold(none, |differ, pair| {
            _mm_or_si128(differ, _mm_xor_si128(_mm_load_si128(pair.as_ptr().cast()), wanted))
        });
        _mm_movemask_epi8(_mm_cmpeq_epi8(differ, none)) == 0xffff
    }
}

/// How many cells there are from this one to the end of its page.
pub(crate) fn on_page(cell: *const Cell) -> usize {
    (PAGE - cell as usize % PAGE) / size_of::<Cell>()
}

/// The pages of the region that were ever written to.
pub(crate) struct Pages {
    /// A bit for each page; reserved whole, like the region.
    bits: *mut u8,
    list: Vec<u32>,
    last: usize,
}

impl Pages {
    pub(crate) fn new() -> Self {
        let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE;
        let protection = libc::PROT_READ | libc::PROT_WRITE;
        // SAFETY: a new mapping wherever the system likes.
        let bits = unsafe { libc::mmap(std::ptr::null_mut(), SIZE / PAGE / 8, protection, flags, -1, 0) };
        if bits == libc::MAP_FAILED {
            crate::fatal(
                "no address space for the list of shadow pages: lift the limit on virtual memory (ulimit -v unlimited)",
            );
        }
        Pages { bits: bits.cast(), list: Vec::new(), last: usize::MAX }
    }

    fn page(cell: *const Cell) -> usize {
        (cell as usize - BASE) / PAGE
    }

    /// Whether the page of a cell is noted.
    #[inline(always)]
    pub(crate) fn knows(&self, cell: *const Cell) -> bool {
        let page = Self::page(cell);
        // SAFETY: there is a bit for each page of the region.
        unsafe { *self.bits.add(page / 8) & 1 << (page % 8) != 0 }
    }

    /// Notes that the page of a cell is used.
    #[inline(always)]
    pub(crate) fn touch(&mut self, cell: *const Cell) {
        let page = Self::page(cell);
        if page != self.last {
            self.note(page);
        }
    }

    #[inline(never)]
    fn note(&mut self, page: usize) {
        self.last = page;
        // SAFETY: there is a bit for each page of the region.
        let bits = unsafe { &mut *self.bits.add(page / 8) };
        if *bits & 1 << (page % 8) == 0 {
            *bits |= 1 << (page % 8);
            self.list.push(page as u32);
        }
    }

    pub(crate) fn count(&self) -> usize {
        self.list.len()
    }

    /// Tells of the cells that are not empty; of neighbours that are alike, once. A page is no longer in use if all of its
    /// cells are empty. The others.
    pub(crate) fn sift(&mut self, mut work: impl FnMut(Cell)) -> Used {
        let (bits, mut pages) = (self.bits, Vec::with_capacity(self.list.len()));
        self.list.retain(|&number| {
            let (mut last, mut page) = (0, UsedPage { number, top: 0, groups: 0 });
            for (at, group) in Self::groups(number).iter().enumerate() {
                // Most are empty, which is found faster.
                let alike = if last == 0 { all_are(group, 0) } else { all_are(group, last) };
                if !alike {
                    for &word in &group.0 {
                        if word != last && word != 0 {
                            let cell = Cell::from(word);
                            work(cell);
                            let top = match cell.writer {
                                0.. => (cell.writer as u32).max(cell.readers as u32),
                                // The access of its epoch, or zero.
                                _ => (cell.readers & i32::MAX) as u32 >> 1,
                            };
                            page.top = page.top.max(top);
                        }
                        last = word;
                    }
                } else if last == 0 {
                    continue;
                }
                // If they are all empty, an earlier one is not.
                page.groups |= 1 << at;
            }
            let used = page.groups != 0;
            if used {
                pages.push(page);
            } else {
                let page = number as usize;
                // SAFETY: there is a bit for each page of the region.
                unsafe { *bits.add(page / 8) &= !(1 << (page % 8)) };
            }
            used
        });
        self.last = usize::MAX;
        Used { pages }
    }

    fn groups(page: u32) -> &'static mut [Group; PAGE / size_of::<Group>()] {
        let groups = (BASE + page as usize * PAGE) as *mut _;
        // SAFETY: a page of the region; nobody else looks at its cells while those who call this do.
        unsafe { &mut *groups }
    }

    /// The cells that are not empty, on pages in use, of a range of addresses.
    pub(crate) fn each_in(&self, addresses: std::ops::Range<usize>, mut work: impl FnMut(*mut Cell)) {
        let (first, last) = (cell(addresses.start), cell(addresses.end - 1));
        let (from, to) = (Self::page(first), Self::page(last));
        for word in from / 64..=to / 64 {
            // SAFETY: there is a bit for each page of the region, in whole words.
            let mut used = unsafe { *self.bits.add(word * 8).cast::<u64>() };
            while used != 0 {
                let page = word * 64 + used.trailing_zeros() as usize;
                used &= used - 1;
                if !(from..=to).contains(&page) {
                    continue;
                }
                let groups = Self::groups(page as u32).iter_mut().filter(|group| !all_are(group, 0));
                let words = groups.flat_map(|group| &mut group.0).filter(|word| **word != 0);
                let cells = words.map(|word| std::ptr::from_mut(word).cast());
                cells.filter(|cell| (first..=last).contains(cell)).for_each(&mut work);
            }
        }
    }
}

/// Pages with cells that are not empty.
pub(crate) struct Used {
    pages: Vec<UsedPage>,
}

struct UsedPage {
    number: u32,
    /// No number of an access in a cell is greater; the number of a set is greater than any of these.
    top: u32,
    /// A bit for each group that is not empty.
    groups: u64,
}

impl Used {
    /// Replaces the contents of the cells. Accesses before the number `from` stay as they are.
    pub(crate) fn replace(&self, from: u32, mut new: impl FnMut(Cell) -> Cell) {
        let (mut before, mut after) = (0, 0);
        for page in self.pages.iter().filter(|page| page.top >= from) {
            let groups = Pages::groups(page.number);
            let mut left = page.groups;
            while left != 0 {
                let group = &mut groups[left.trailing_zeros() as usize];
                left &= left - 1;
                if all_are(group, before) {
                    if before != after {
                        group.0.fill(after);
                    }
                    continue;
                }
                for word in group.0.iter_mut().filter(|word| **word != 0) {
                    if *word != before {
                        (before, after) = (*word, new(Cell::from(*word)).into());
                    }
                    *word = after;
                }
            }
        }
    }
}
