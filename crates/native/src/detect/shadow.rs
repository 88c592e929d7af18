//! Shadow memory: for every four bytes of the program's memory, who wrote them last and who has
//! read them since.
//!
//! A cell is eight bytes: two access ids (see [`detector`](crate::detect::detector)), zero for
//! none. Its address is computed from the program's, in three instructions: the region is reserved
//! whole, at a fixed address, and the system backs it with memory page by page as it is touched.
//!
//! Which addresses a program can have on x86-64 Linux: the executable and its heap near 0x55…,
//! libraries, mappings and stacks near 0x7f…, and, not position-independent, the first terabyte.
//! Their low 42 bits distinguish these.
//!
//! A page whose cells are all alike is one cell in a table ([`Pages`]).
//!
//! Bytes: most accesses are aligned words. The cell of memory that is accessed by the byte or half
//! word holds the index of a group of four cells, one a byte, which words with the same contents
//! share.

use std::arch::x86_64::{
    _mm_cmpeq_epi8, _mm_load_si128, _mm_movemask_epi8, _mm_or_si128, _mm_set1_epi64x, _mm_setzero_si128,
    _mm_xor_si128,
};
use std::io;

pub(crate) use crate::detect::cell::{Cell, LAST_EPOCH};

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
    // SAFETY: the kernel refuses the mapping if anything is there already, so no memory of anyone
    // is replaced.
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
    // SAFETY: the region is ours. Advice only: huge pages would commit shadow nobody uses, and a
    // core dump needs none of it.
    unsafe {
        libc::madvise(at, SIZE, libc::MADV_NOHUGEPAGE);
        libc::madvise(at, SIZE, libc::MADV_DONTDUMP);
    }
    Ok(())
}

/// From this size on, pages are returned to the system instead of zeroed.
const LARGE: usize = 1 << 16;

const PAGE: usize = 4096;

/// Cells on a page.
pub(crate) const ON_PAGE: usize = PAGE / size_of::<Cell>();

/// Cells that are compared together, as words: a cache line, and as many groups on a page as a word
/// has bits.
const GROUP: usize = 8;

#[repr(C, align(64))]
struct Group([u64; GROUP]);

/// Whether all cells of a group are this one.
#[inline(always)]
fn all_are(group: &Group, cell: u64) -> bool {
    let (pairs, _) = group.0.as_chunks::<2>();
    // SAFETY: every x86-64 processor has SSE2, and pairs of words from the start of a group are
    // aligned as it wants them.
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

/// A table with an entry for each page of the region; reserved whole, like the region.
fn table(bytes: usize) -> *mut u8 {
    let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE;
    let protection = libc::PROT_READ | libc::PROT_WRITE;
    // SAFETY: a new mapping wherever the system likes.
    let at = unsafe { libc::mmap(std::ptr::null_mut(), bytes, protection, flags, -1, 0) };
    if at == libc::MAP_FAILED {
        crate::fatal(
            "no address space for the list of shadow pages: lift the limit on virtual memory (ulimit -v unlimited)",
        );
    }
    at.cast()
}

/// A bit for each page of the region.
#[derive(Clone, Copy)]
struct Bits(*mut u8);

impl Bits {
    fn new() -> Self {
        Bits(table(SIZE / PAGE / 8))
    }

    #[inline(always)]
    fn has(self, page: usize) -> bool {
        // SAFETY: there is a bit for each page of the region.
        unsafe { *self.0.add(page / 8) & 1 << (page % 8) != 0 }
    }

    #[inline(always)]
    fn set(self, page: usize) {
        // SAFETY: there is a bit for each page of the region, and no reference to it exists: this
        // type reads and writes by value.
        unsafe { *self.0.add(page / 8) |= 1 << (page % 8) };
    }

    #[inline(always)]
    fn clear(self, page: usize) {
        // SAFETY: there is a bit for each page of the region, and no reference to it exists.
        unsafe { *self.0.add(page / 8) &= !(1 << (page % 8)) };
    }

    /// The bits of 64 pages.
    fn word(self, number: usize) -> u64 {
        // SAFETY: there is a bit for each page of the region, and the map consists of whole words.
        unsafe { *self.0.add(number * 8).cast() }
    }
}

/// The pages of the region in use.
///
/// A page is *resident*: its cells are in memory; or *uniform*: they are all alike, one cell in a
/// table stands for them, and in memory they are zero. So the entry points, which know resident
/// pages only, find an empty cell on a uniform one and come to [`Pages::touch`], which makes it
/// resident. Range checks ([`detector::ranges`](crate::detect::detector)) keep a page uniform that
/// they cover whole: eight bytes instead of 4096.
pub(crate) struct Pages {
    resident: Bits,
    uniform: Bits,
    /// Uniform once, then accessed in parts: not made uniform again, to avoid going back and forth.
    split: Bits,
    /// The cell of each uniform page; zero for the others.
    contents: *mut u64,
    /// Those that are resident or uniform.
    list: Vec<u32>,
    /// The page touched last, which is resident.
    last: std::cell::Cell<usize>,
}

impl Pages {
    pub(crate) fn new() -> Self {
        let (resident, uniform, split) = (Bits::new(), Bits::new(), Bits::new());
        let contents = table(SIZE / PAGE * size_of::<u64>()).cast();
        Pages { resident, uniform, split, contents, list: Vec::new(), last: std::cell::Cell::new(usize::MAX) }
    }

    fn page(cell: *const Cell) -> usize {
        (cell as usize - BASE) / PAGE
    }

    fn content_of(&self, page: usize) -> *mut u64 {
        // SAFETY: there is an entry for each page of the region.
        unsafe { self.contents.add(page) }
    }

    /// Puts a cell for all of a page; what was there.
    fn replace_content(&self, page: usize, content: u64) -> u64 {
        // SAFETY: nobody has a reference to an entry but who holds the pages as its own.
        unsafe { self.content_of(page).replace(content) }
    }

    /// Whether the page of a cell is resident.
    #[inline(always)]
    pub(crate) fn knows(&self, cell: *const Cell) -> bool {
        self.resident.has(Self::page(cell))
    }

    /// Whether there may be cells on the page of this one that are not empty.
    pub(crate) fn is_used(&self, cell: *const Cell) -> bool {
        // SAFETY: there is an entry for each page of the region, read by value.
        self.knows(cell) || unsafe { *self.content_of(Self::page(cell)) } != 0
    }

    /// What a cell holds, on whatever page.
    pub(crate) fn content(&self, cell: *const Cell) -> Cell {
        // SAFETY: a cell of the region, and nobody else has a reference to it.
        let here = unsafe { *cell };
        // SAFETY: there is an entry for each page of the region, read by value.
        if here == Cell::default() { unsafe { *self.content_of(Self::page(cell)) }.into() } else { here }
    }

    /// Makes the page of an empty cell resident. The cell may have a content then.
    #[inline(always)]
    pub(crate) fn touch(&mut self, cell: *const Cell) {
        let page = Self::page(cell);
        if page != self.last.get() {
            self.note(page);
        }
    }

    #[inline(never)]
    fn note(&mut self, page: usize) {
        if self.uniform.has(page) {
            self.spread(page);
        } else if !self.resident.has(page) {
            self.resident.set(page);
            self.list.push(page as u32);
        }
        self.last.set(page);
    }

    /// Writes the cell of a uniform page to all cells on it.
    fn spread(&self, page: usize) {
        self.uniform.clear(page);
        self.resident.set(page);
        let content = self.replace_content(page, 0);
        if content != 0 {
            self.split.set(page);
            Self::groups(page as u32).iter_mut().for_each(|group| group.0.fill(content));
        }
    }

    /// The one cell of the page that begins with this one, if all its cells are alike, and none is
    /// a reference.
    pub(crate) fn uniform(&mut self, first: *const Cell) -> Option<&mut Cell> {
        let page = Self::page(first);
        if !self.uniform.has(page) {
            if self.resident.has(page) {
                // SAFETY: a cell of the region, and nobody else has a reference to it.
                let content = unsafe { *first.cast::<u64>() };
                let groups = Self::groups(page as u32);
                let is_alike = !Cell::from(content).writer.is_reference()
                    && !self.split.has(page)
                    && groups.iter().all(|group| all_are(group, content));
                if !is_alike {
                    return None;
                }
                groups.iter_mut().for_each(|group| group.0.fill(0));
                self.replace_content(page, content);
                self.resident.clear(page);
            } else {
                self.list.push(page as u32);
            }
            self.uniform.set(page);
            self.last.set(usize::MAX);
        }
        // SAFETY: a cell is a word, aligned as one, and any word is a cell.
        Some(unsafe { &mut *self.content_of(page).cast() })
    }

    /// Drops all accesses to a range of addresses, whose memory is new.
    pub(crate) fn forget(&self, address: usize, size: usize) {
        if size == 0 {
            return;
        }
        // The first and the last cell may be shared with neighbours that are no part of the range,
        // but the allocator gives out memory in larger units than a cell.
        let first = cell(address) as usize;
        let end = cell(address + size - 1) as usize + size_of::<Cell>();
        let (inner, outer) = (first.next_multiple_of(PAGE), end / PAGE * PAGE);
        if inner > outer {
            return self.clear(first..end);
        }
        self.clear(first..inner);
        self.forget_pages(inner..outer);
        self.clear(outer..end);
    }

    /// Empties cells of one page.
    fn clear(&self, cells: std::ops::Range<usize>) {
        let page = Self::page(cells.start as *const Cell);
        if cells.is_empty() || !self.is_used(cells.start as *const Cell) {
            return;
        }
        if self.uniform.has(page) {
            self.spread(page);
        }
        // SAFETY: cells of memory that nobody but the caller uses; the region is mapped readable
        // and writable.
        unsafe { std::ptr::write_bytes(cells.start as *mut u8, 0, cells.len()) };
    }

    /// Empties whole pages.
    fn forget_pages(&self, cells: std::ops::Range<usize>) {
        // SAFETY: whole pages inside our region, of cells of memory that nobody but the caller
        // uses.
        let are_given_back = cells.len() >= LARGE
            && unsafe { libc::madvise(cells.start as *mut libc::c_void, cells.len(), libc::MADV_DONTNEED) }
                == 0;
        self.each_page(
            Self::page(cells.start as *const Cell)..Self::page(cells.end as *const Cell),
            |page| {
                if self.resident.has(page) && !are_given_back {
                    Self::groups(page as u32).iter_mut().for_each(|group| group.0.fill(0));
                }
                self.replace_content(page, 0);
                self.resident.clear(page);
                self.split.clear(page);
                self.uniform.set(page);
            },
        );
        self.last.set(usize::MAX);
    }

    /// Those of some pages that are resident or uniform.
    fn each_page(&self, pages: std::ops::Range<usize>, mut work: impl FnMut(usize)) {
        for word in pages.start / 64..pages.end.div_ceil(64) {
            let mut used = self.resident.word(word) | self.uniform.word(word);
            while used != 0 {
                let page = word * 64 + used.trailing_zeros() as usize;
                used &= used - 1;
                if pages.contains(&page) {
                    work(page);
                }
            }
        }
    }

    pub(crate) fn count(&self) -> usize {
        self.list.len()
    }

    /// Visits the cells that are not empty; of neighbours that are alike, one. Drops pages whose
    /// cells are all empty, and returns the others.
    pub(crate) fn sift(&mut self, mut work: impl FnMut(Cell)) -> Used {
        let (resident, uniform, contents) = (self.resident, self.uniform, self.contents);
        let mut pages = Vec::with_capacity(self.list.len());
        self.list.retain(|&number| {
            let (mut last, mut page) = (0, UsedPage { number, top: 0, groups: 0 });
            if uniform.has(number as usize) {
                // SAFETY: there is an entry for each page of the region.
                let content = Cell::from(unsafe { *contents.add(number as usize) });
                let used = content != Cell::default();
                if used {
                    work(content);
                    page.top = content.greatest();
                    pages.push(page);
                } else {
                    uniform.clear(number as usize);
                }
                return used;
            }
            for (at, group) in Self::groups(number).iter().enumerate() {
                // Most are empty, which is found faster.
                let alike = if last == 0 { all_are(group, 0) } else { all_are(group, last) };
                if !alike {
                    for &word in &group.0 {
                        if word != last && word != 0 {
                            let cell = Cell::from(word);
                            work(cell);
                            page.top = page.top.max(cell.greatest());
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
                resident.clear(number as usize);
            }
            used
        });
        self.last.set(usize::MAX);
        Used { pages, contents }
    }

    fn groups(page: u32) -> &'static mut [Group; PAGE / size_of::<Group>()] {
        let groups = (BASE + page as usize * PAGE) as *mut _;
        // SAFETY: a page of the region; nobody else looks at its cells while those who call this
        // do.
        unsafe { &mut *groups }
    }

    /// Visits the cells on pages that a range of addresses has; of neighbours that are alike, one.
    pub(crate) fn visit(&self, addresses: std::ops::Range<usize>, mut work: impl FnMut(Cell)) {
        if addresses.is_empty() {
            return;
        }
        let (first, last) = (cell(addresses.start), cell(addresses.end - 1));
        self.each_page(Self::page(first)..Self::page(last) + 1, |page| {
            if self.uniform.has(page) {
                // SAFETY: there is an entry for each page of the region, read by value.
                return work(unsafe { *self.content_of(page) }.into());
            }
            let mut last = 0;
            for &word in Self::groups(page as u32).iter().flat_map(|group| &group.0) {
                if word != last {
                    work(Cell::from(word));
                }
                last = word;
            }
        });
    }

    /// The cells that are not empty, on pages in use, of a range of addresses.
    pub(crate) fn each_in(&self, addresses: std::ops::Range<usize>, mut work: impl FnMut(*mut Cell)) {
        let (first, last) = (cell(addresses.start), cell(addresses.end - 1));
        self.each_page(Self::page(first)..Self::page(last) + 1, |page| {
            if self.uniform.has(page) {
                self.spread(page);
            }
            let groups = Self::groups(page as u32).iter_mut().filter(|group| !all_are(group, 0));
            let words = groups.flat_map(|group| &mut group.0).filter(|word| **word != 0);
            let cells = words.map(|word| std::ptr::from_mut(word).cast());
            cells.filter(|cell| (first..=last).contains(cell)).for_each(&mut work);
        });
    }
}

/// Pages with cells that are not empty.
pub(crate) struct Used {
    pages: Vec<UsedPage>,
    /// The cells of those that are uniform.
    contents: *mut u64,
}

struct UsedPage {
    number: u32,
    /// No access id on the page is greater; the encoding of a set is greater than any of these.
    top: u32,
    /// A bit for each group that is not empty; none if the page is uniform.
    groups: u64,
}

impl Used {
    /// Replaces the contents of the cells. Access ids below `from` stay as they are.
    pub(crate) fn replace(&self, from: u32, mut new: impl FnMut(Cell) -> Cell) {
        let (mut before, mut after) = (0, 0);
        for page in self.pages.iter().filter(|page| page.top >= from) {
            if page.groups == 0 {
                // SAFETY: there is an entry for each page of the region, and nobody else has a
                // reference to it.
                let content = unsafe { &mut *self.contents.add(page.number as usize) };
                *content = new(Cell::from(*content)).into();
                continue;
            }
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
