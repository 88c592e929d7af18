//! What the C library keeps for itself: objects that functions share without naming them in their arguments.
//!
//! A result that they return a pointer to is where they have it. State that nobody can point to has a place here that stands for it.
//! What the C library guards by a lock of its own (`rand`, streams) or keeps for each thread (`strerror`, `errno`) is none of these.

use super::Call;
use std::sync::atomic::{AtomicUsize, Ordering};

pub(crate) struct Hidden {
    name: &'static str,
    /// Where it is, and how large: this place, unless the C library has shown another.
    address: AtomicUsize,
    size: AtomicUsize,
    place: AtomicUsize,
}

impl Hidden {
    const fn new(name: &'static str) -> Hidden {
        let (address, size) = (AtomicUsize::new(0), AtomicUsize::new(0));
        Hidden { name, address, size, place: AtomicUsize::new(0) }
    }

    /// The place that stands for it.
    pub(super) fn place(&self) -> usize {
        &raw const self.place as usize
    }

    fn contains(&self, address: usize) -> bool {
        let from = self.address.load(Ordering::Relaxed);
        (from..from + self.size.load(Ordering::Relaxed)).contains(&address)
            || (self.place()..self.place() + size_of::<usize>()).contains(&address)
    }
}

macro_rules! hidden {
    ($($constant:ident $name:literal;)*) => {
        $(pub(super) static $constant: Hidden = Hidden::new($name);)*
        static ALL: &[&Hidden] = &[$(&$constant),*];
    };
}
hidden! {
    STRTOK "the state of strtok";
    ENVIRONMENT "the environment";
    RANDOM48 "the state of drand48";
    CALENDAR "the result of localtime and gmtime";
    DATE "the result of asctime and ctime";
    PASSWD "the result of getpwnam and getpwuid";
    GROUP "the result of getgrnam and getgrgid";
    HOST "the result of gethostbyname";
    NAME "the result of tmpnam";
    LOCALE "the locale";
}

/// What an address is, if it is the C library's.
pub(crate) fn name(address: usize) -> Option<&'static str> {
    ALL.iter().find(|hidden| hidden.contains(address)).map(|hidden| hidden.name)
}

impl Call {
    /// Writes an object that all calls share.
    pub(super) fn shares(&self, hidden: &'static Hidden, address: usize, size: usize) {
        if address != 0 {
            hidden.address.store(address, Ordering::Relaxed);
            hidden.size.store(size, Ordering::Relaxed);
        }
        self.write(address, size);
    }

    /// The same, unless the caller has given an object for it.
    pub(super) fn shares_unless(&self, given: usize, hidden: &'static Hidden, address: usize, size: usize) {
        if given == 0 {
            self.shares(hidden, address, size);
        } else {
            self.write(address, size);
        }
    }

    /// Changes what only the C library sees.
    pub(super) fn changes(&self, hidden: &'static Hidden) {
        self.write(hidden.place(), size_of::<usize>());
    }

    pub(super) fn looks_at(&self, hidden: &'static Hidden) {
        self.read(hidden.place(), size_of::<usize>());
    }

    /// Sets the locale, or asks for its name.
    pub(super) fn locale(&self, name: usize) {
        if name == 0 {
            self.looks_at(&LOCALE);
        } else {
            self.changes(&LOCALE);
        }
    }
}
