//! Dependences between racing steps: the direct ones (Algorithm 7.1), and the transitive ones (7.3,
//! 7.4).
//!
//! A chain of direct dependences makes a transitive one if all steps on it are unordered with each
//! other: only then can each have overlapped the next though the first did not wait for the last.
//!
//! Departure: the thesis follows chains depth-first, each step once for each origin and the
//! earliest of a process only. That misses dependences, since whether a chain can go on depends on
//! how it got there, and a race would be called nontangled that is not
//! (`crates/core/tests/netzer.rs` compares with all chains). Here all chains are tried until every
//! step that can be reached has been; there can be very many, so that after [`PATIENCE`] attempts
//! whatever the weaker condition allows, each step unordered with the next and with the origin,
//! counts as dependent: more tangles, never fewer.

use super::steps::{Apparent, Steps};

/// Edges from a step to those that depend on it, by number among the racing steps.
pub(super) type Edges = Vec<Vec<u32>>;

/// See the module.
#[derive(Debug)]
pub(super) struct Dependences {
    /// The steps in races, chain by chain in the order of the chain.
    pub(super) racing: Vec<u32>,
    /// The chain of each, by number among those that have any.
    pub(super) chain_of: Vec<u32>,
    /// By race: its steps, by number among these.
    pub(super) sides: Vec<[u32; 2]>,
    pub(super) data: Edges,
    pub(super) control: Edges,
    pub(super) control_direct: Edges,
}

impl Dependences {
    pub(super) fn new(steps: &Steps, races: &[Apparent]) -> Self {
        let mut racing: Vec<u32> = races.iter().flat_map(|race| race.steps).collect();
        racing.sort_unstable_by_key(|&step| (steps.chain(step), steps.place(step)));
        racing.dedup();
        let number = |step: u32| {
            let key = (steps.chain(step), steps.place(step));
            racing.partition_point(|&other| (steps.chain(other), steps.place(other)) < key) as u32
        };
        let sides: Vec<[u32; 2]> = races.iter().map(|race| race.steps.map(number)).collect();
        let mut data: Edges = vec![Vec::new(); racing.len()];
        let mut control_direct: Edges = vec![Vec::new(); racing.len()];
        for (race, &[a, b]) in races.iter().zip(&sides) {
            for (way, (from, to)) in [(a, b), (b, a)].into_iter().enumerate() {
                if race.data[way] {
                    data[from as usize].push(to);
                }
                if race.control[way] {
                    control_direct[from as usize].push(to);
                }
            }
        }
        // By number is by chain and by place on it.
        data.iter_mut().chain(&mut control_direct).for_each(|edges| edges.sort_unstable());
        let ordered = |a: u32, b: u32| steps.ordered(racing[a as usize], racing[b as usize]);
        let data = transitive(&data, &ordered);
        let control = transitive(&control_direct, &ordered);
        let mut chain_of = Vec::with_capacity(racing.len());
        let mut chain = 0;
        for (at, &step) in racing.iter().enumerate() {
            chain += u32::from(at > 0 && steps.chain(step) != steps.chain(racing[at - 1]));
            chain_of.push(chain);
        }
        Dependences { racing, chain_of, sides, data, control, control_direct }
    }

    /// How many chains have racing steps.
    pub(super) fn chains(&self) -> usize {
        self.chain_of.last().map_or(0, |&last| last as usize + 1)
    }
}

/// Steps that the search for chains from one origin may take, beyond which all that could be
/// reached counts as reached.
const PATIENCE: u32 = 1 << 12;

/// The direct edges and the transitive ones.
fn transitive(direct: &Edges, ordered: &impl Fn(u32, u32) -> bool) -> Edges {
    let mut search =
        Search { direct, candidate: vec![NOBODY; direct.len()], reached: vec![NOBODY; direct.len()] };
    (0..direct.len() as u32).map(|origin| search.from(origin, ordered)).collect()
}

const NOBODY: u32 = u32::MAX;

struct Search<'a> {
    direct: &'a Edges,
    /// By step: the last origin from which it could be reached, and from which it was.
    candidate: Vec<u32>,
    reached: Vec<u32>,
}

impl Search<'_> {
    fn from(&mut self, origin: u32, ordered: &impl Fn(u32, u32) -> bool) -> Vec<u32> {
        let candidates = self.candidates(origin, ordered);
        let mut found = Vec::new();
        let mut patience = PATIENCE;
        // The path, each step with how far its edges have been followed.
        let mut path = vec![(origin, 0)];
        while let Some((step, edge)) = path.last_mut() {
            let Some(&to) = self.direct[*step as usize].get(*edge) else {
                path.pop();
                continue;
            };
            *edge += 1;
            patience -= 1;
            let goes_on = |&(before, _): &(u32, usize)| before != to && !ordered(before, to);
            if self.candidate[to as usize] == origin && path.iter().all(goes_on) {
                if self.reached[to as usize] != origin {
                    self.reached[to as usize] = origin;
                    found.push(to);
                }
                path.push((to, 0));
            }
            if found.len() == candidates.len() || patience == 0 {
                break;
            }
        }
        let mut all = if patience == 0 { candidates } else { found };
        all.sort_unstable();
        all
    }

    /// The steps at the ends of chains of which each step is unordered with the next and with the
    /// origin: those that matter are among them.
    fn candidates(&mut self, origin: u32, ordered: &impl Fn(u32, u32) -> bool) -> Vec<u32> {
        let mut candidates = Vec::new();
        let mut next = vec![origin];
        while let Some(step) = next.pop() {
            for &to in &self.direct[step as usize] {
                if to != origin && self.candidate[to as usize] != origin && !ordered(origin, to) {
                    self.candidate[to as usize] = origin;
                    candidates.push(to);
                    next.push(to);
                }
            }
        }
        candidates
    }
}
