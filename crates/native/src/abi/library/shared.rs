//! Accesses of what the C library keeps for itself ([`hidden`](crate::report::hidden)).

use super::Call;
use super::extents::{int, string};
use crate::report::hidden::{Hidden, LOCALE};
use std::ffi::{c_char, c_int};
use std::sync::atomic::Ordering;

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

    /// Looks for the next option among the program's arguments.
    pub(super) fn options(&self, count: usize, list: usize, letters: usize) {
        unsafe extern "C" {
            static optind: c_int;
            static optarg: *const c_char;
        }
        self.read(list, int(count).saturating_mul(size_of::<usize>()));
        self.read(letters, string(letters));
        self.write(&raw const optind as usize, size_of::<c_int>());
        self.write(&raw const optarg as usize, size_of::<usize>());
    }
}
