//! Events.

use super::coroutine::act;
use super::ops::{NewSync, Op};
use super::world::Claim;
use super::{make, sync};
use std::borrow::Cow;
use std::marker::PhantomData;
use std::panic::Location;

/// Something that happens once: when it is posted, every wait passes. A handle: copies stand for
/// the same event.
#[derive(Clone, Copy)]
pub struct Event {
    claim: Claim,
    not_send: PhantomData<*const ()>,
}

impl Event {
    #[track_caller]
    #[allow(clippy::new_without_default, reason = "a default would hide where the event is made")]
    pub fn new() -> Self {
        Event { claim: make(NewSync::Event, None), not_send: PhantomData }
    }

    /// As [`new`](Event::new), with a name for reports.
    #[track_caller]
    pub fn named(name: impl Into<Cow<'static, str>>) -> Self {
        Event { claim: make(NewSync::Event, Some(name.into())), not_send: PhantomData }
    }

    /// Lets every wait pass from now on. To post it again changes nothing.
    #[track_caller]
    pub fn post(&self) {
        act(Op::Post(sync(self.claim, "event")), Location::caller());
    }

    /// Waits until the event is posted.
    #[track_caller]
    pub fn wait(&self) {
        act(Op::Get(sync(self.claim, "event")), Location::caller());
    }
}
