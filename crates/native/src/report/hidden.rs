//! What the C library keeps for itself: objects that functions share without naming them in their arguments.
//!
//! A result that they return a pointer to is where they have it. State that nobody can point to has a place here that stands for it.
//! What the C library guards by a lock of its own (`rand`, streams) or keeps for each thread (`strerror`, `errno`) is none of these.

use std::sync::atomic::{AtomicUsize, Ordering};

pub(crate) struct Hidden {
    name: &'static str,
    /// Where it is, and how large: this place, unless the C library has shown another.
    pub(crate) address: AtomicUsize,
    pub(crate) size: AtomicUsize,
    place: AtomicUsize,
}

impl Hidden {
    const fn new(name: &'static str) -> Hidden {
        let (address, size) = (AtomicUsize::new(0), AtomicUsize::new(0));
        Hidden { name, address, size, place: AtomicUsize::new(0) }
    }

    /// The place that stands for it.
    pub(crate) fn place(&self) -> usize {
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
        $(pub(crate) static $constant: Hidden = Hidden::new($name);)*
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
