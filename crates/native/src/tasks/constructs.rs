//! The constructs that have created tasks last: what is known of each, so that the next task of it
//! need not look it up.

use crate::detect::contexts::Context;
use crate::detect::detector::{Detector, NOWHERE};
use raceproof_core::ids::SiteId;

/// A construct, in the context of its creator.
#[derive(Clone, Copy)]
pub(crate) struct Construct {
    pc: usize,
    context: Context,
    /// The root context of its tasks.
    pub(crate) root: Context,
    /// Where they are created.
    pub(crate) created: SiteId,
}

const SLOTS: usize = 1 << 5;

/// A direct-mapped cache.
pub(crate) struct Constructs([Construct; SLOTS]);

impl Default for Constructs {
    fn default() -> Self {
        Constructs([Construct { pc: 0, context: Context(0), root: Context(0), created: NOWHERE }; SLOTS])
    }
}

impl Constructs {
    /// The construct whose call returns to `pc`, in the present context. Neither contexts nor sites
    /// are ever renumbered.
    #[inline]
    pub(crate) fn of(&mut self, pc: usize, detector: &mut Detector) -> Construct {
        let context = detector.contexts.now().context;
        let slot = &mut self.0[(pc >> 2 ^ context.0 as usize) % SLOTS];
        if (slot.pc, slot.context) != (pc, context) {
            let (root, created) = (detector.contexts.task(pc), detector.here(pc));
            *slot = Construct { pc, context, root, created };
        }
        *slot
    }
}
