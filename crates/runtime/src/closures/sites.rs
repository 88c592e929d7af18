//! Source sites of closures: what `#[track_caller]` gives, interned.

use raceproof_core::finding::Place;
use raceproof_core::ids::SiteId;
use rustc_hash::FxHashMap;
use std::cell::{Cell, RefCell};
use std::panic::Location;

pub(crate) type Caller = &'static Location<'static>;

/// The sites of a program. Kept from run to run, so that a place has the same id in all of them.
pub(crate) struct Sites {
    places: RefCell<Vec<Caller>>,
    /// The compiler may have several constants for one place, so the address alone does not
    /// identify it.
    by_place: RefCell<FxHashMap<Caller, SiteId>>,
    by_address: RefCell<FxHashMap<usize, SiteId>>,
    /// The site asked for last: loops ask for the same one again.
    last: Cell<(usize, SiteId)>,
}

impl Sites {
    /// `program` is where the program itself comes from: site 0, where `main` is spawned.
    pub(crate) fn new(program: Caller) -> Self {
        let sites = Sites {
            places: RefCell::default(),
            by_place: RefCell::default(),
            by_address: RefCell::default(),
            last: Cell::new((0, SiteId(0))),
        };
        sites.id(program);
        sites
    }

    #[inline]
    pub(crate) fn id(&self, caller: Caller) -> SiteId {
        let address = std::ptr::from_ref(caller).addr();
        let (last, id) = self.last.get();
        if last == address {
            return id;
        }
        let known = self.by_address.borrow().get(&address).copied();
        let id = known.unwrap_or_else(|| self.add(caller, address));
        self.last.set((address, id));
        id
    }

    #[cold]
    fn add(&self, caller: Caller, address: usize) -> SiteId {
        let mut places = self.places.borrow_mut();
        let id = *self.by_place.borrow_mut().entry(caller).or_insert_with(|| {
            places.push(caller);
            SiteId::at(places.len() - 1)
        });
        self.by_address.borrow_mut().insert(address, id);
        id
    }

    pub(crate) fn place(&self, site: SiteId) -> Place {
        place(self.places.borrow()[site.index()])
    }
}

pub(crate) fn place(at: &Location<'_>) -> Place {
    Place { file: at.file().to_owned(), line: at.line(), column: at.column() }
}
