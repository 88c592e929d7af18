//! Paths in an augmented graph (Algorithms 7.5 and 7.6), over the racing steps only.
//!
//! A step has two nodes, its start and its finish. From a finish the graph goes on to the first
//! racing step of every chain that synchronisation puts after it; the steps in between are not
//! there, the clocks have looked through them. What a node reaches of a chain is everything from
//! some position on, so one number per chain represents it: the first. Strongly connected nodes
//! share theirs. Cost: O(k p) for k racing steps on p chains, in time and memory.

use super::dependences::{Dependences, Edges};
use super::steps::Steps;

/// Between which nodes the edges of dependences go.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum EdgeKind {
    /// b may have overlapped a, but not ended before a began. What the graphs of validation have.
    StartToFinish,
    /// b cannot have ended before a did: for single accesses.
    FinishToFinish,
    /// Transitive by themselves: what the order of races takes (section 8.2).
    StartToStart,
}

const NEVER: u32 = u32::MAX;

/// See the module.
#[derive(Debug)]
pub(super) struct Reach {
    /// By node.
    components: Vec<u32>,
    /// By component and chain: the first node reached; nodes are numbered along the chains.
    first: Vec<u32>,
    chains: usize,
    /// By racing step.
    chain_of: Vec<u32>,
}

fn start(step: u32) -> u32 {
    2 * step
}

fn finish(step: u32) -> u32 {
    2 * step + 1
}

impl Reach {
    pub(super) fn new(steps: &Steps, dependences: &Dependences, edges: &Edges, kind: EdgeKind) -> Self {
        let racing = &dependences.racing;
        let chain_of = dependences.chain_of.clone();
        let chains = dependences.chains();
        let mut graph: Edges = vec![Vec::new(); 2 * racing.len()];
        let mut bounds = vec![(0, 0); chains];
        for (at, &chain) in chain_of.iter().enumerate() {
            let bound = &mut bounds[chain as usize];
            if bound.1 == 0 {
                bound.0 = at;
            }
            bound.1 = at + 1;
        }
        for at in 0..racing.len() as u32 {
            graph[start(at) as usize].push(finish(at));
            for &to in &edges[at as usize] {
                let (from, to) = match kind {
                    EdgeKind::StartToFinish => (start(at), finish(to)),
                    EdgeKind::FinishToFinish => (finish(at), finish(to)),
                    EdgeKind::StartToStart => (start(at), start(to)),
                };
                graph[from as usize].push(to);
            }
            for &(from, to) in &bounds {
                let after = |&step: &u32| !steps.precedes(racing[at as usize], step);
                let next = from + racing[from..to].partition_point(after);
                if next < to {
                    graph[finish(at) as usize].push(start(next as u32));
                }
            }
        }
        let components = components(&graph);
        let count = components.iter().map(|&component| component + 1).max().unwrap_or(0);
        let mut first = vec![NEVER; count as usize * chains];
        // Components are numbered after all those they reach.
        let mut nodes: Vec<u32> = (0..graph.len() as u32).collect();
        nodes.sort_unstable_by_key(|&node| components[node as usize]);
        for node in nodes {
            let own = components[node as usize] as usize * chains;
            let chain = chain_of[node as usize / 2] as usize;
            first[own + chain] = first[own + chain].min(node);
            for &to in &graph[node as usize] {
                let other = components[to as usize] as usize * chains;
                for at in (0..chains).filter(|_| other != own) {
                    first[own + at] = first[own + at].min(first[other + at]);
                }
            }
        }
        Reach { components, first, chains, chain_of }
    }

    fn reaches(&self, from: u32, to: u32) -> bool {
        let chain = self.chain_of[to as usize / 2] as usize;
        self.first[self.components[from as usize] as usize * self.chains + chain] <= to
    }

    /// Whether the graph puts one of the steps before the other.
    pub(super) fn orders(&self, a: u32, b: u32) -> bool {
        self.reaches(finish(a), start(b)) || self.reaches(finish(b), start(a))
    }

    pub(super) fn finishes_meet(&self, a: u32, b: u32) -> bool {
        self.reaches(finish(a), finish(b)) || self.reaches(finish(b), finish(a))
    }

    /// The strongly connected component that makes two steps tangled, if one does.
    pub(super) fn component(&self, a: u32, b: u32) -> Option<u32> {
        let component = |node: u32| self.components[node as usize];
        [(finish(a), start(b)), (finish(b), start(a))]
            .into_iter()
            .find(|&(from, to)| component(from) == component(to))
            .map(|(from, _)| component(from))
    }

    /// Whether two racing steps are of one chain.
    pub(super) fn same_chain(&self, a: u32, b: u32) -> bool {
        self.chain_of[a as usize] == self.chain_of[b as usize]
    }

    /// For each chain the first step that both can decide about.
    pub(super) fn common(&self, [a, b]: [u32; 2]) -> impl Iterator<Item = u32> + '_ {
        let row = |step: u32| self.components[start(step) as usize] as usize * self.chains;
        let (a, b) = (row(a), row(b));
        (0..self.chains).filter_map(move |chain| {
            let node = self.first[a + chain].max(self.first[b + chain]);
            // A finish comes after its start; who reaches only that begins with the next step.
            let step = node.div_ceil(2);
            let on_chain = node != NEVER && self.chain_of.get(step as usize) == Some(&(chain as u32));
            on_chain.then_some(step)
        })
    }
}

/// Strongly connected components by Tarjan's algorithm: the number of each node's, such that a
/// component's is larger than those of all that it reaches.
pub(super) fn components(graph: &Edges) -> Vec<u32> {
    let mut component = vec![NEVER; graph.len()];
    // When each node was first seen, and the earliest open node known to be reached from it.
    let mut seen = vec![NEVER; graph.len()];
    let mut low = vec![NEVER; graph.len()];
    let mut open = Vec::new();
    let (mut clock, mut found) = (0, 0);
    for root in 0..graph.len() {
        if seen[root] != NEVER {
            continue;
        }
        let mut visits = vec![(root, 0)];
        while let Some(visit) = visits.last_mut() {
            let (node, edge) = *visit;
            if edge == 0 {
                (seen[node], low[node]) = (clock, clock);
                clock += 1;
                open.push(node);
            }
            if let Some(&to) = graph[node].get(edge) {
                visit.1 += 1;
                let to = to as usize;
                if seen[to] == NEVER {
                    visits.push((to, 0));
                } else if component[to] == NEVER {
                    low[node] = low[node].min(seen[to]);
                }
                continue;
            }
            visits.pop();
            if let Some(&(parent, _)) = visits.last() {
                low[parent] = low[parent].min(low[node]);
            }
            if low[node] == seen[node] {
                while let Some(member) = open.pop() {
                    component[member] = found;
                    if member == node {
                        break;
                    }
                }
                found += 1;
            }
        }
    }
    component
}
