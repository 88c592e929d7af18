//! The predictive orders by name: the one list that `check`, `verify` and `analyze` choose from.
//!
//! All of them predict races from one run; `verify` can explore under those with a dependence.

use super::{Order, dc::Dc, hb::Hb, shb::Shb, wcp::Wcp, weak::Weak};
use crate::explore::Dependence;

/// A predictive order.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum OrderName {
    Hb,
    Shb,
    Wcp,
    #[default]
    Dc,
    Weak,
}

/// What to do with an order that is chosen by name, compiled for each of them.
pub trait WithOrder {
    type Output;

    fn with<O: Order + Default>(self) -> Self::Output;
}

impl OrderName {
    /// The orders that have a [`dependence`](OrderName::dependence): those `verify` explores under.
    pub const EXPLORED: [OrderName; 3] = [OrderName::Hb, OrderName::Wcp, OrderName::Dc];

    pub fn name(self) -> &'static str {
        match self {
            OrderName::Hb => "hb",
            OrderName::Shb => "shb",
            OrderName::Wcp => "wcp",
            OrderName::Dc => "dc",
            OrderName::Weak => "weak",
        }
    }

    /// What the order is, in one line of help.
    pub fn summary(self) -> &'static str {
        match self {
            OrderName::Hb => "Happens-before: sections of a lock in the order they came",
            OrderName::Shb => {
                "Schedulable happens-before: happens-before, and reads after the writes they saw"
            }
            OrderName::Wcp => {
                "Weak-causally-precedes: where they conflict, with all that happened before the one and after the other"
            }
            OrderName::Dc => "Does-not-commute: sections of a lock only where they conflict",
            OrderName::Weak => "Only what holds in every schedule",
        }
    }

    /// What the report calls a detector that asks this order.
    pub fn detector(self) -> String {
        format!("order {}", self.name())
    }

    /// Which transitions a search under this order takes for dependent; none if no search is known
    /// for the order.
    pub fn dependence(self) -> Option<Dependence> {
        match self {
            OrderName::Hb => Some(Dependence::Lock),
            OrderName::Wcp => Some(Dependence::Wcp),
            OrderName::Dc => Some(Dependence::Conflict),
            OrderName::Shb | OrderName::Weak => None,
        }
    }

    /// Does `task` with the order of this name.
    pub fn with<T: WithOrder>(self, task: T) -> T::Output {
        match self {
            OrderName::Hb => task.with::<Hb>(),
            OrderName::Shb => task.with::<Shb>(),
            OrderName::Wcp => task.with::<Wcp>(),
            OrderName::Dc => task.with::<Dc>(),
            OrderName::Weak => task.with::<Weak>(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exactly_the_explored_orders_have_a_dependence() {
        use OrderName::{Dc, Hb, Shb, Wcp, Weak};
        for order in [Hb, Shb, Wcp, Dc, Weak] {
            assert_eq!(order.dependence().is_some(), OrderName::EXPLORED.contains(&order), "{order:?}");
        }
    }
}
