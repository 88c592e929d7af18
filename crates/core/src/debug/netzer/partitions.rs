//! The order of races (Definition 8.1), and the partitions that come first (Algorithm 8.1).
//!
//! Race ⟨a,b⟩ may have caused ⟨c,d⟩ if both a and b can decide what c does, or both what d does.
//! What both can decide is, on each chain, everything from some step on; so a graph of races and
//! steps has the same paths as the transitive closure: from a race to the first such step of each
//! chain, from a step to the next of its chain and to the races it takes part in. Its components
//! are the partitions.

use super::Partition;
use super::dependences::{Dependences, Edges};
use super::reach::{Reach, components};

/// Causes listed for one partition.
const LISTED: usize = 4;

/// See the module.
#[derive(Debug)]
pub(super) struct Partitions {
    pub(super) of_race: Vec<u32>,
    pub(super) all: Vec<Partition>,
}

impl Partitions {
    pub(super) fn new(dependences: &Dependences, reach: &Reach) -> Self {
        let sides = &dependences.sides;
        let races = sides.len();
        // Races first, then steps.
        let step = |at: u32| races as u32 + at;
        let mut graph: Edges = vec![Vec::new(); races + dependences.racing.len()];
        for (race, &both) in sides.iter().enumerate() {
            graph[race].extend(reach.common(both).map(step));
            for side in both {
                graph[step(side) as usize].push(race as u32);
            }
        }
        for at in 1..dependences.racing.len() as u32 {
            if reach.same_chain(at - 1, at) {
                graph[step(at - 1) as usize].push(step(at));
            }
        }
        let components = components(&graph);
        let count = components.iter().map(|&component| component as usize + 1).max().unwrap_or(0);
        let mut members: Vec<Vec<u32>> = vec![Vec::new(); count];
        for race in 0..races as u32 {
            members[components[race as usize] as usize].push(race);
        }
        // From the components that nobody reaches on: by falling number.
        let mut nodes: Vec<u32> = (0..graph.len() as u32).collect();
        nodes.sort_unstable_by_key(|&node| std::cmp::Reverse(components[node as usize]));
        let mut ranks = vec![1; count];
        let mut causes: Vec<Vec<u32>> = vec![Vec::new(); count];
        for node in nodes {
            let own = components[node as usize] as usize;
            let (rank, holds) = (ranks[own], !members[own].is_empty());
            let told = if holds && rank == 1 { vec![own as u32] } else { causes[own].clone() };
            for &to in &graph[node as usize] {
                let other = components[to as usize] as usize;
                if other != own {
                    ranks[other] = ranks[other].max(rank + u32::from(holds));
                    for &cause in &told {
                        if causes[other].len() < LISTED && !causes[other].contains(&cause) {
                            causes[other].push(cause);
                        }
                    }
                }
            }
        }
        let mut order: Vec<usize> = (0..count).filter(|&at| !members[at].is_empty()).collect();
        order.sort_by_key(|&at| (ranks[at], members[at][0]));
        let mut numbers = vec![0; count];
        order.iter().zip(0..).for_each(|(&at, number)| numbers[at] = number);
        let of_race = (0..races).map(|race| numbers[components[race] as usize]).collect();
        let partition = |&at: &usize| Partition {
            rank: ranks[at],
            races: members[at].clone(),
            causes: causes[at].iter().map(|&cause| numbers[cause as usize]).collect(),
        };
        Partitions { of_race, all: order.iter().map(partition).collect() }
    }
}
