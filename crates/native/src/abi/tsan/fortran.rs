//! Arrays that flang's runtime library reads and writes for the program: assignments, intrinsic
//! functions, input and output. The pass (`FortranLibrary.cpp`) puts these calls before those of
//! the library, which is not instrumented.
//!
//! An array is handed over by a descriptor (`CFI_cdesc_t` of the standard): where its first element
//! is, how long an element is, and for each dimension how many there are and how many bytes apart.

use super::strided::{Dimension, check_ranges};
use raceproof_core::event::AccessKind;
use std::arch::naked_asm;

/// A descriptor without its dimensions, and one dimension.
const HEAD: usize = 24;
const DIMENSION: usize = 24;
const MOST_DIMENSIONS: usize = 15;
/// `CFI_attribute_allocatable`.
const ALLOCATABLE: u8 = 2;

/// The head of a descriptor.
#[repr(C)]
struct Head {
    base: usize,
    element: usize,
    version: i32,
    rank: u8,
    kind: i8,
    attribute: u8,
    extra: u8,
}

const _: () = assert!(size_of::<Head>() == HEAD);

#[derive(Clone, Copy)]
struct Array<'a> {
    head: &'a Head,
    /// Lower bound, extent and stride of each dimension.
    dimensions: &'a [[usize; 3]],
}

impl<'a> Array<'a> {
    /// None for an argument that is not there.
    fn of(descriptor: usize) -> Option<Array<'a>> {
        if descriptor == 0 {
            return None;
        }
        // SAFETY: the pass hands over what the program hands to the library as a descriptor; the
        // library is about to read it.
        let head = unsafe { &*(descriptor as *const Head) };
        let rank = usize::from(head.rank);
        if rank > MOST_DIMENSIONS {
            return None;
        }
        // SAFETY: after its head the descriptor has as many dimensions as that says.
        let dimensions =
            unsafe { std::slice::from_raw_parts((descriptor + HEAD) as *const [usize; 3], rank) };
        Some(Array { head, dimensions })
    }

    fn extents(self) -> impl Iterator<Item = usize> + 'a {
        self.dimensions.iter().map(|[_, extent, _]| *extent)
    }

    fn accessed(self, kind: AccessKind, pc: usize) {
        let is_empty = self.extents().any(|extent| extent as isize <= 0);
        if self.head.base == 0 || self.head.element == 0 || is_empty {
            return;
        }
        let mut of =
            self.dimensions.iter().map(|[_, extent, stride]| Dimension { count: *extent, stride: *stride });
        let (first, second) = (of.next().unwrap_or(Dimension::ONCE), of.next().unwrap_or(Dimension::ONCE));
        let outer: Vec<Dimension> = of.collect();
        let mut subscripts = vec![0; outer.len()];
        loop {
            let offset = outer.iter().zip(&subscripts).fold(0usize, |offset, (dimension, at)| {
                offset.wrapping_add(dimension.stride.wrapping_mul(*at))
            });
            check_ranges(self.head.base.wrapping_add(offset), self.head.element, first, second, kind, pc);
            // The next of the planes, as an odometer counts.
            let next = outer.iter().zip(&mut subscripts).find_map(|(dimension, at)| {
                *at += 1;
                if *at < dimension.count {
                    return Some(());
                }
                *at = 0;
                None
            });
            if next.is_none() {
                return;
            }
        }
    }
}

fn read(descriptor: usize, pc: usize) {
    if let Some(array) = Array::of(descriptor) {
        array.accessed(AccessKind::Read, pc);
    }
}

fn written(descriptor: usize, pc: usize) {
    if let Some(array) = Array::of(descriptor) {
        array.accessed(AccessKind::Write, pc);
    }
}

/// The descriptor itself is written.
fn described(descriptor: usize, pc: usize) {
    if let Some(array) = Array::of(descriptor) {
        let bytes = HEAD + DIMENSION * array.dimensions.len();
        check_ranges(descriptor, bytes, Dimension::ONCE, Dimension::ONCE, AccessKind::Write, pc);
    }
}

/// `to = from`. An allocatable array of another shape is allocated anew.
fn assigned(to: usize, from: usize, pc: usize) {
    let (Some(target), Some(source)) = (Array::of(to), Array::of(from)) else { return };
    // A copy of the master's variable to itself (`copyin`).
    if target.head.base == source.head.base && target.dimensions == source.dimensions {
        return;
    }
    source.accessed(AccessKind::Read, pc);
    let is_scalar = source.dimensions.is_empty();
    let fits = target.head.base != 0 && (is_scalar || target.extents().eq(source.extents()));
    if target.head.attribute == ALLOCATABLE && !fits {
        described(to, pc);
    } else {
        target.accessed(AccessKind::Write, pc);
    }
}

/// The return address as a further argument.
macro_rules! entries {
    ($($name:ident($($argument:ident),*) $register:literal => $to:path;)*) => { $(
        #[unsafe(naked)]
        #[unsafe(no_mangle)]
        pub extern "C" fn $name() {
            extern "C" fn check($($argument: usize,)* pc: usize) {
                $to($($argument,)* pc);
            }
            naked_asm!(concat!("mov ", $register, ", [rsp]"), "jmp {check}", check = sym check)
        }
    )* };
}
entries! {
    __raceproof_fortran_read(array) "rsi" => read;
    __raceproof_fortran_write(array) "rsi" => written;
    __raceproof_fortran_describe(array) "rsi" => described;
    __raceproof_fortran_assign(to, from) "rdx" => assigned;
}
