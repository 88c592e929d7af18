//! Clocks over very many slots, as trees whose parts are shared.
//!
//! A hundred thousand tasks that nothing orders have a slot each, and clocks that list all slots would take memory by the
//! square of that. But what they know differs little: a task knows what its parent knew, and itself. So a wide clock
//! is a tree that is never changed in place where another one has a part of it: copying it takes a count, setting a time
//! a path of new nodes, and joining two looks only at what is not the same node in both. What nobody knows of has no nodes.
//!
//! After Driscoll, Sarnak, Sleator and Tarjan, *Making data structures persistent* (1989), with wide nodes. Where a join
//! brings nothing, or all there is, the node that was there is kept, so that clocks which have met go on sharing.
//!
//! Cost, with n slots: a look O(log n); setting a time O(log n) nodes of 16; joining O(what differs) nodes.

use super::clock::{Time, UNKNOWN, raise};
use std::rc::Rc;

/// Times in a leaf; as much memory as an inner node.
const LEAF: usize = 32;

/// Children of an inner node.
const FAN: usize = 16;

#[derive(Clone, Debug, PartialEq, Eq)]
enum Node {
    Leaf([Time; LEAF]),
    Inner([Option<Rc<Node>>; FAN]),
}

/// See the module. Times are as in [`Clock`](super::clock::Clock).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Tree {
    root: Option<Rc<Node>>,
    /// Inner nodes on the way to a leaf.
    height: u32,
}

/// How many slots a node of this height is about.
fn width(height: u32) -> usize {
    LEAF * FAN.pow(height)
}

impl Tree {
    /// The same as a list of times.
    pub(super) fn new(times: &[Time]) -> Self {
        let mut tree = Tree::default();
        for (few, first) in times.chunks(LEAF).zip((0..).step_by(LEAF)) {
            if few.iter().any(|&time| time != UNKNOWN) {
                tree.change(first, |leaf| leaf[..few.len()].copy_from_slice(few));
            }
        }
        tree
    }

    #[inline]
    pub(super) fn get(&self, slot: usize) -> Time {
        let (mut at, mut height) = (&self.root, self.height);
        if slot >= width(height) {
            return UNKNOWN;
        }
        loop {
            match at.as_deref() {
                None => return UNKNOWN,
                Some(Node::Leaf(times)) => return times[slot % LEAF],
                Some(Node::Inner(children)) => {
                    height -= 1;
                    at = &children[slot / width(height) % FAN];
                }
            }
        }
    }

    pub(super) fn set(&mut self, slot: usize, time: Time) {
        self.change(slot, |leaf| leaf[slot % LEAF] = time);
    }

    /// Changes the leaf of a slot.
    fn change(&mut self, slot: usize, how: impl FnOnce(&mut [Time; LEAF])) {
        while slot >= width(self.height) {
            self.grow();
        }
        let (mut at, mut height) = (&mut self.root, self.height);
        loop {
            let empty = || {
                Rc::new(if height == 0 {
                    Node::Leaf([UNKNOWN; LEAF])
                } else {
                    Node::Inner([const { None }; FAN])
                })
            };
            match Rc::make_mut(at.get_or_insert_with(empty)) {
                Node::Leaf(times) => return how(times),
                Node::Inner(children) => {
                    height -= 1;
                    at = &mut children[slot / width(height) % FAN];
                }
            }
        }
    }

    /// Puts a node above the root, for more slots.
    fn grow(&mut self) {
        if let Some(root) = self.root.take() {
            let mut children = [const { None }; FAN];
            children[0] = Some(root);
            self.root = Some(Rc::new(Node::Inner(children)));
        }
        self.height += 1;
    }

    pub(super) fn join(&mut self, other: &Tree) {
        let mut raised;
        let mut other = other;
        if other.height < self.height {
            raised = other.clone();
            while raised.height < self.height {
                raised.grow();
            }
            other = &raised;
        }
        while self.height < other.height {
            self.grow();
        }
        self.root = joined(&self.root, &other.root);
    }
}

/// The join of two nodes of the same height: one of them, if it has all that the other has.
fn joined(mine: &Option<Rc<Node>>, theirs: &Option<Rc<Node>>) -> Option<Rc<Node>> {
    let (Some(a), Some(b)) = (mine, theirs) else { return mine.clone().or_else(|| theirs.clone()) };
    if Rc::ptr_eq(a, b) {
        return Some(Rc::clone(a));
    }
    let node = match (&**a, &**b) {
        (Node::Leaf(mine), Node::Leaf(theirs)) => {
            let mut times = *mine;
            raise(&mut times, theirs);
            match () {
                () if times == *mine => return Some(Rc::clone(a)),
                () if times == *theirs => return Some(Rc::clone(b)),
                () => Node::Leaf(times),
            }
        }
        (Node::Inner(mine), Node::Inner(theirs)) => {
            let children: [_; FAN] = std::array::from_fn(|at| joined(&mine[at], &theirs[at]));
            match () {
                () if same(&children, mine) => return Some(Rc::clone(a)),
                () if same(&children, theirs) => return Some(Rc::clone(b)),
                () => Node::Inner(children),
            }
        }
        _ => unreachable!("nodes of one height are of one kind"),
    };
    Some(Rc::new(node))
}

fn same(some: &[Option<Rc<Node>>; FAN], others: &[Option<Rc<Node>>; FAN]) -> bool {
    some.iter().zip(others).all(|pair| match pair {
        (Some(a), Some(b)) => Rc::ptr_eq(a, b),
        (a, b) => a.is_none() && b.is_none(),
    })
}
