//! Shared data: every read and write is an access that can race.

use super::Outside;
use super::coroutine::{act, fail, with_ops};
use super::ops::Op;
use super::sites::{Caller, place};
use super::world::{Claim, Failure, MAX_CELLS};
use raceproof_core::event::AccessKind;
use raceproof_core::ids::Location;
use std::any::Any;
use std::borrow::Cow;
use std::cell::Cell;
use std::marker::PhantomData;
use std::panic;

/// A shared variable. A handle: copies stand for the same variable, so it can be moved into any
/// number of tasks.
///
/// Each `get` and `set` is one access of its own, at the place where it is called.
///
/// ```should_panic
/// use raceproof::{Shared, check, finish, spawn};
///
/// check(|| {
///     let x = Shared::named("x", 1);
///     finish(|| {
///         spawn(move || x.set(x.get() + 1));
///         spawn(move || x.set(x.get() * 2)); // a race on x
///     });
/// });
/// ```
pub struct Shared<T> {
    claim: Claim,
    location: Location,
    value: PhantomData<*const T>,
}

impl<T: Copy + 'static> Shared<T> {
    /// A new variable, in reports named after the place where it is made.
    #[track_caller]
    pub fn new(value: T) -> Self {
        Shared::make(None, value, panic::Location::caller())
    }

    #[track_caller]
    pub fn named(name: impl Into<Cow<'static, str>>, value: T) -> Self {
        Shared::make(Some(name.into()), value, panic::Location::caller())
    }

    #[track_caller]
    fn make(name: Option<Cow<'static, str>>, value: T, at: Caller) -> Self {
        room(1, at);
        let cell = Box::new(Cell::new(value));
        let made = add(None, name, at, cell);
        let (claim, location) = made.unwrap_or_else_outside();
        Shared { claim, location, value: PhantomData }
    }

    #[track_caller]
    pub fn get(&self) -> T {
        self.access(AccessKind::Read, |cell| cell.get())
    }

    #[track_caller]
    pub fn set(&self, value: T) {
        self.access(AccessKind::Write, |cell| cell.set(value));
    }

    #[track_caller]
    #[inline]
    fn access<R>(&self, kind: AccessKind, effect: impl FnOnce(&Cell<T>) -> R) -> R {
        access(self.claim, kind, self.location);
        with_ops(|ops| ops.world().cells(self.claim).map(effect)).flatten().unwrap_or_else_outside()
    }
}

/// Makes an access. Hot.
#[track_caller]
#[inline]
fn access(claim: Claim, kind: AccessKind, location: Location) {
    act(Op::Access { claim, kind, location }, panic::Location::caller());
}

/// A shared array of fixed length. A handle: copies stand for the same array.
pub struct SharedArray<T> {
    claim: Claim,
    base: Location,
    len: usize,
    value: PhantomData<*const T>,
}

impl<T: Copy + 'static> SharedArray<T> {
    /// `len` elements, all `init`; in reports named after the place where it is made.
    #[track_caller]
    pub fn new(len: usize, init: T) -> Self {
        SharedArray::make(None, len, init, panic::Location::caller())
    }

    #[track_caller]
    pub fn named(name: impl Into<Cow<'static, str>>, len: usize, init: T) -> Self {
        SharedArray::make(Some(name.into()), len, init, panic::Location::caller())
    }

    #[track_caller]
    fn make(name: Option<Cow<'static, str>>, len: usize, init: T, at: Caller) -> Self {
        room(len as u64, at);
        let cells: Cells<T> = Cells(vec![init; len].into_iter().map(Cell::new).collect());
        let made = add(Some(len as u64), name, at, Box::new(cells));
        let (claim, base) = made.unwrap_or_else_outside();
        SharedArray { claim, base, len, value: PhantomData }
    }

    /// The number of elements; no access.
    pub fn len(&self) -> usize {
        self.len
    }

    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    #[track_caller]
    pub fn get(&self, index: usize) -> T {
        self.access(AccessKind::Read, index, |cell| cell.get())
    }

    #[track_caller]
    pub fn set(&self, index: usize, value: T) {
        self.access(AccessKind::Write, index, |cell| cell.set(value));
    }

    #[track_caller]
    #[inline]
    fn access<R>(&self, kind: AccessKind, index: usize, effect: impl FnOnce(&Cell<T>) -> R) -> R {
        if index >= self.len {
            let message = format!("index {index} of an array of {}: out of bounds", self.len);
            fail(Failure::error("bounds", message, place(panic::Location::caller())));
        }
        access(self.claim, kind, Location(self.base.0 + index as u64));
        let effect = |cells: &Cells<T>| effect(&cells.0[index]);
        with_ops(|ops| ops.world().cells(self.claim).map(effect)).flatten().unwrap_or_else_outside()
    }
}

/// The elements of an array.
struct Cells<T>(Box<[Cell<T>]>);

/// Makes cells of the run, unless there is none.
fn add(
    len: Option<u64>,
    name: Option<Cow<'static, str>>,
    at: Caller,
    cells: Box<dyn Any>,
) -> Option<(Claim, Location)> {
    with_ops(|ops| {
        let (claim, base) = ops.world().add_cells(len, name, at, cells);
        ops.fresh(base);
        (claim, base)
    })
}

/// Fails the task if there is no room for so many cells more.
#[track_caller]
fn room(len: u64, at: Caller) {
    if with_ops(|ops| ops.world().has_room(len)).unwrap_or_else_outside() {
        return;
    }
    let message = format!("{len} shared cells more: there can be {MAX_CELLS} in one run");
    fail(Failure::error("cells", message, place(at)))
}

macro_rules! handle {
    ($name:ident) => {
        impl<T> Clone for $name<T> {
            fn clone(&self) -> Self {
                *self
            }
        }

        impl<T> Copy for $name<T> {}
    };
}

handle!(Shared);
handle!(SharedArray);
