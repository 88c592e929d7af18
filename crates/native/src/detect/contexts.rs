//! The calling contexts of a program: which calls led to where it is.
//!
//! Every function of the program tells when it is entered and left. A context is a node of a tree
//! (Ammons, Ball, Larus, PLDI 1997): its parent is the context of the caller, and the same call
//! from the same context is the same node however often it is made. So an access can name its whole
//! stack with one number. All tasks of one construct have one root: where each was created is kept
//! with the task, so that recursion by tasks adds no nodes.
//!
//! A recursion with many branches has more contexts than there is memory for. Past a bound none is
//! added for a call that recurs, and past another none at all: deeper calls then count as part of
//! the deepest context there is, and the report shows the stack up to there.

use crate::detect::now;
use rustc_hash::FxHashMap;

/// A calling context.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Context(pub(crate) u32);

#[derive(Clone, Copy, Debug)]
struct Node {
    parent: u32,
    /// The child that was entered last, and by which call.
    child: u32,
    child_call: usize,
    /// The return address of the call that led here; for the root of a task, where it was created.
    call: usize,
    task: bool,
}

/// Where a task is in the tree.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Place {
    pub(crate) context: Context,
    /// Calls beyond the bound that have not returned.
    lost: u32,
}

impl Place {
    /// Where the program begins.
    pub(crate) const START: Place = Place { context: Context(0), lost: 0 };

    pub(crate) fn at(context: Context) -> Self {
        Place { context, lost: 0 }
    }
}

/// Nodes there may be; and from how many on calls that recur add none.
const MOST: usize = 1 << 22;
const MANY: usize = 1 << 16;
/// A call recurs if it was made within so many calls before.
const NEAR: usize = 16;

pub(crate) struct Contexts {
    nodes: Vec<Node>,
    children: FxHashMap<(u32, usize), u32>,
    /// Calls beyond the bound that the running task has not returned from.
    lost: u32,
}

impl Contexts {
    pub(crate) fn new() -> Self {
        let root = Node { parent: 0, child: 0, child_call: 0, call: 0, task: true };
        Contexts { nodes: vec![root], children: FxHashMap::default(), lost: 0 }
    }

    /// Where the running task is.
    #[inline(always)]
    pub(crate) fn now(&self) -> Place {
        Place { context: Context(now::context()), lost: self.lost }
    }

    /// Another task begins or resumes.
    #[inline(always)]
    pub(crate) fn go_to(&mut self, place: Place) {
        self.be_in(place.context.0);
        self.lost = place.lost;
    }

    #[inline(always)]
    fn be_in(&self, context: u32) {
        now::set_context(context);
    }

    #[inline]
    pub(crate) fn enter(&mut self, call: usize) {
        let node = &self.nodes[self.now().context.0 as usize];
        if node.child_call == call && self.lost == 0 {
            self.be_in(node.child);
        } else {
            self.enter_other(call);
        }
    }

    #[inline(never)]
    fn enter_other(&mut self, call: usize) {
        let at = self.now().context;
        match (self.lost, self.child(at, call, false)) {
            (0, Some(child)) => {
                let node = &mut self.nodes[at.0 as usize];
                (node.child, node.child_call) = (child.0, call);
                self.be_in(child.0);
            }
            _ => self.lost += 1,
        }
    }

    /// Where the function that the running task is in returns to.
    pub(crate) fn call(&self) -> usize {
        self.nodes[self.now().context.0 as usize].call
    }

    #[inline]
    pub(crate) fn leave(&mut self) {
        if self.lost > 0 {
            self.lost -= 1;
            return;
        }
        let node = &self.nodes[self.now().context.0 as usize];
        // A task does not return beyond its root, whatever a longjmp has done to the count.
        if !node.task {
            self.be_in(node.parent);
        }
    }

    fn child(&mut self, of: Context, call: usize, task: bool) -> Option<Context> {
        // A bit that no return address has distinguishes tasks from calls at one site.
        let key = (of.0, call | usize::from(task) << 63);
        if let Some(&child) = self.children.get(&key) {
            return Some(Context(child));
        }
        let count = self.nodes.len();
        if count >= MOST || count >= MANY && !task && self.recurs(of, call) {
            return None;
        }
        let child = self.nodes.len() as u32;
        self.nodes.push(Node { parent: of.0, child: 0, child_call: 0, call, task });
        self.children.insert(key, child);
        Some(Context(child))
    }

    /// Whether a call was made on the way to a context.
    fn recurs(&self, mut context: Context, call: usize) -> bool {
        (0..NEAR).any(|_| {
            let node = &self.nodes[context.0 as usize];
            context = Context(node.parent);
            node.call == call && !node.task
        })
    }

    /// The root context of the tasks that the construct whose call returns to `call` creates.
    pub(crate) fn task(&mut self, call: usize) -> Context {
        self.child(Context(0), call, true).unwrap_or(Context(0))
    }

    /// The calls that led to a context within its task, innermost first, as return addresses.
    pub(crate) fn calls(&self, context: Context) -> Vec<usize> {
        let mut calls = Vec::new();
        let mut at = context.0 as usize;
        while !self.nodes[at].task {
            calls.push(self.nodes[at].call);
            at = self.nodes[at].parent as usize;
        }
        calls
    }
}
