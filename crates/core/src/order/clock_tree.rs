//! Clocks over very many slots, as trees whose parts are shared.
//!
//! A hundred thousand tasks that nothing orders have a slot each, and clocks that list all slots
//! would take memory by the square of that. But what they know differs little: a task knows what
//! its parent knew, and itself. So a wide clock is a tree that is never changed in place where
//! another one has a part of it: copying it takes a count, setting a time a path of new nodes, and
//! joining two looks only at what is not the same node in both. What nobody knows of has no nodes.
//!
//! After Driscoll, Sarnak, Sleator and Tarjan, *Making data structures persistent* (1989), with
//! wide nodes. Where a join brings nothing, or all there is, the node that was there is kept, so
//! that clocks which have met go on sharing.
//!
//! What differs can still be much: of a hundred thousand tasks that pass through one lock, each
//! meets what all before it have done since they began. So a tree remembers its *origin*, an epoch
//! such that whoever knows it knows all of the tree but the times of a few slots. Of two clocks one
//! of which knows the other's origin the one is the join, once it has those few. Epochs can
//! represent clocks because time goes on with everything that is published, and what is published
//! is a whole clock.
//!
//! Cost, with n slots: a look O(log n); setting a time O(log n) nodes of 16; joining the same if
//! one knows the other's origin, and else O(what differs) nodes.

use super::clock::{Epoch, Time, UNKNOWN, raise, signed, unsigned};
use std::sync::Arc;

/// Times in a leaf; as much memory as an inner node.
const LEAF: usize = 32;

/// Children of an inner node.
const FAN: usize = 16;

#[derive(Clone, Debug, PartialEq, Eq)]
enum Node {
    Leaf([Time; LEAF]),
    Inner([Option<Arc<Node>>; FAN]),
}

/// See the module. Times are as in [`Clock`](super::clock::Clock).
#[derive(Clone, Debug, Default)]
pub(crate) struct Tree {
    root: Option<Arc<Node>>,
    /// Inner nodes on the way to a leaf.
    height: u32,
    origin: Option<Origin>,
    /// The slot of the task whose clock it is, or was when it was published.
    owner: Option<u32>,
}

/// Whoever knows the epoch knows all of a tree but the times of the slots in `but`.
#[derive(Clone, Copy, Debug)]
struct Origin {
    epoch: Epoch,
    /// Each once, and `NO_SLOT` for the rest.
    but: [u32; MOST],
}

/// A task, its parent, and two above them.
const MOST: usize = 4;

const NO_SLOT: u32 = u32::MAX;

impl Origin {
    fn new(epoch: Epoch, slot: u32) -> Self {
        let mut but = [NO_SLOT; MOST];
        but[0] = slot;
        Origin { epoch, but }
    }

    /// The same with one more slot, if there is room.
    fn without(mut self, slot: u32) -> Option<Self> {
        let place = self.but.iter_mut().find(|place| [NO_SLOT, slot].contains(place))?;
        *place = slot;
        Some(self)
    }

    fn slots(self) -> impl Iterator<Item = usize> {
        self.but.into_iter().filter(|&slot| slot != NO_SLOT).map(|slot| slot as usize)
    }
}

impl PartialEq for Tree {
    fn eq(&self, other: &Self) -> bool {
        (&self.root, self.height) == (&other.root, other.height)
    }
}

impl Eq for Tree {}

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
        self.origin = self.origin.filter(|origin| origin.slots().any(|but| but == slot));
        self.put(slot, time);
    }

    fn put(&mut self, slot: usize, time: Time) {
        self.change(slot, |leaf| leaf[slot % LEAF] = time);
    }

    /// From being the copy of a parent's clock, at the spawn, becomes that of the child.
    pub(super) fn begin(&mut self, slot: u32, time: Time, parent: Epoch) {
        let origin = self.origin.and_then(|origin| origin.without(slot));
        self.origin = Some(origin.unwrap_or_else(|| Origin::new(parent, slot)));
        self.owner = Some(slot);
        self.put(slot as usize, time);
    }

    /// Takes note that whoever knows `epoch` knows all of it.
    pub(super) fn rest_on(&mut self, epoch: Epoch) {
        self.origin = self.origin.or_else(|| Some(Origin::new(epoch, epoch.slot)));
    }

    /// Is nobody's from now on: what several tasks know.
    pub(super) fn disown(&mut self) {
        self.owner = None;
    }

    /// Ends the time of the clock's owner, having published what it knows.
    pub(super) fn tick(&mut self, ended: Epoch) {
        self.rest_on(ended);
        self.owner = Some(ended.slot);
        self.set(ended.slot as usize, signed(ended.time + 1));
    }

    /// Changes the leaf of a slot.
    fn change(&mut self, slot: usize, how: impl FnOnce(&mut [Time; LEAF])) {
        while slot >= width(self.height) {
            self.grow();
        }
        let (mut at, mut height) = (&mut self.root, self.height);
        loop {
            let empty = || {
                Arc::new(if height == 0 {
                    Node::Leaf([UNKNOWN; LEAF])
                } else {
                    Node::Inner([const { None }; FAN])
                })
            };
            match Arc::make_mut(at.get_or_insert_with(empty)) {
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
            self.root = Some(Arc::new(Node::Inner(children)));
        }
        self.height += 1;
    }

    /// Whether all of `other` is known but what is new of a few slots.
    fn knows_origin(&self, other: &Tree) -> Option<Origin> {
        let knows = |origin: &Origin| self.get(origin.epoch.slot as usize) >= signed(origin.epoch.time);
        other.origin.filter(knows)
    }

    /// The epoch at whose end a task published the tree, if one did.
    fn published(&self) -> Option<Epoch> {
        let slot = self.owner?;
        Some(Epoch { slot, time: unsigned(self.get(slot as usize)) })
    }

    pub(super) fn join(&mut self, other: &Tree) {
        if let Some(origin) = self.knows_origin(other) {
            return self.learn(origin, other);
        }
        if let Some(origin) = other.knows_origin(self) {
            // All of the other is known to whoever knows when it was published.
            let but = origin.but;
            let from = other.published().map(|epoch| Origin { epoch, but });
            let mine = std::mem::replace(self, Tree { origin: from, ..other.clone() });
            self.owner = mine.owner;
            return self.learn(origin, &mine);
        }
        let mut other = other.clone();
        while self.height < other.height {
            self.grow();
        }
        while other.height < self.height {
            other.grow();
        }
        self.origin = None;
        self.root = joined(&self.root, &other.root);
    }

    /// Takes over the slots that an origin leaves out.
    fn learn(&mut self, origin: Origin, other: &Tree) {
        for slot in origin.slots() {
            let time = other.get(slot);
            if time > self.get(slot) {
                self.set(slot, time);
            }
        }
    }
}

/// The join of two nodes of the same height: one of them, if it has all that the other has.
fn joined(mine: &Option<Arc<Node>>, theirs: &Option<Arc<Node>>) -> Option<Arc<Node>> {
    let (Some(a), Some(b)) = (mine, theirs) else { return mine.clone().or_else(|| theirs.clone()) };
    if Arc::ptr_eq(a, b) {
        return Some(Arc::clone(a));
    }
    let node = match (&**a, &**b) {
        (Node::Leaf(mine), Node::Leaf(theirs)) => {
            let mut times = *mine;
            raise(&mut times, theirs);
            match () {
                () if times == *mine => return Some(Arc::clone(a)),
                () if times == *theirs => return Some(Arc::clone(b)),
                () => Node::Leaf(times),
            }
        }
        (Node::Inner(mine), Node::Inner(theirs)) => {
            let children: [_; FAN] = std::array::from_fn(|at| joined(&mine[at], &theirs[at]));
            match () {
                () if same(&children, mine) => return Some(Arc::clone(a)),
                () if same(&children, theirs) => return Some(Arc::clone(b)),
                () => Node::Inner(children),
            }
        }
        _ => unreachable!("nodes of one height are of one kind"),
    };
    Some(Arc::new(node))
}

fn same(some: &[Option<Arc<Node>>; FAN], others: &[Option<Arc<Node>>; FAN]) -> bool {
    some.iter().zip(others).all(|pair| match pair {
        (Some(a), Some(b)) => Arc::ptr_eq(a, b),
        (a, b) => a.is_none() && b.is_none(),
    })
}
