//! Netzer's analysis: Figure 2.1 and what the thesis says of it, the guaranteed orderings against
//! all interleavings, and the reduced graphs against the graphs as the thesis has them.

use crate::support;

use raceproof_core::debug::netzer::posts::{Guaranteed, Posts};
use raceproof_core::debug::netzer::{Analysis, Feasibility, Grain, Level, Options, StepRace, Uses, analyse};
use raceproof_core::event::{AccessKind, Event, SyncKind};
use raceproof_core::ids::{Location, ScopeId, SiteId, TaskId};
use std::collections::{BTreeMap, BTreeSet, HashSet};
use support::relations;
use support::{EVERYTHING, PLAIN, Profile, Rng, Schedule};

/// The execution of Figure 2.1, and where each of the thesis's events begins.
struct Figure {
    events: Vec<Event>,
    letters: BTreeMap<u32, char>,
}

const QUEUE: u64 = 1000;

fn figure_2_1() -> Figure {
    let scope = ScopeId(1);
    let (main, left, right) = (TaskId(0), TaskId(1), TaskId(2));
    let mut figure = Figure { events: Vec::new(), letters: BTreeMap::new() };
    let spawn = |child| Event::Spawn { parent: main, child, scope, site: SiteId(0) };
    figure.events.extend([Event::FinishBegin { task: main, scope }, spawn(left), spawn(right)]);
    let work = |figure: &mut Figure, letter: char, task, from: u64, to: u64| {
        figure.letters.insert(figure.events.len() as u32, letter);
        for cell in from..=to {
            let site = SiteId(letter as u32);
            figure.events.push(Event::Access {
                task,
                kind: AccessKind::Write,
                location: Location(cell),
                site,
            });
        }
    };
    let queue = |figure: &mut Figure, letter: char, task, kind| {
        let site = SiteId(letter as u32);
        figure.events.push(Event::Access { task, kind, location: Location(QUEUE), site });
    };
    work(&mut figure, 'a', left, 10, 19);
    work(&mut figure, 'b', right, 20, 29);
    // The right child's whole remove comes within the left child's.
    figure.letters.insert(figure.events.len() as u32, 'c');
    queue(&mut figure, 'c', left, AccessKind::Read);
    figure.letters.insert(figure.events.len() as u32, 'd');
    queue(&mut figure, 'd', right, AccessKind::Read);
    queue(&mut figure, 'd', right, AccessKind::Write);
    queue(&mut figure, 'c', left, AccessKind::Read);
    queue(&mut figure, 'c', left, AccessKind::Write);
    work(&mut figure, 'f', right, 30, 39);
    work(&mut figure, 'e', left, 1, 39);
    figure.events.extend([Event::End { task: left }, Event::End { task: right }]);
    figure.events.push(Event::FinishEnd { task: main, scope });
    figure
}

impl Figure {
    fn analyse(&self, level: Level, uses: Uses<'_>) -> Analysis {
        analyse(
            &self.events,
            Options {
                level,
                uses,
                grain: Grain::Cut(&|at| self.letters.contains_key(&at)),
                ..Options::default()
            },
        )
        .expect("few races")
    }

    /// The letters of a race, as the thesis writes it.
    fn name(&self, race: &StepRace) -> String {
        let mut letters = race.steps.map(|step| self.letters[&step]);
        letters.sort();
        letters.into_iter().collect()
    }

    fn find<'a>(&self, analysis: &'a Analysis, name: &str) -> &'a StepRace {
        let found = analysis.races.iter().find(|race| self.name(race) == name);
        found.unwrap_or_else(|| panic!("{name} is no apparent race"))
    }
}

/// Figures 7.2 and 7.4: ⟨e,f⟩ is nontangled; ⟨c,d⟩ and ⟨e,b⟩ are one tangle, of which G_E validates
/// ⟨c,d⟩ only.
#[test]
fn figures_7_2_and_7_4() {
    let figure = figure_2_1();
    let analysis = figure.analyse(Level::Approximate, Uses::Unknown);
    let names: BTreeSet<String> = analysis.races.iter().map(|race| figure.name(race)).collect();
    assert_eq!(names, BTreeSet::from(["be".to_owned(), "cd".to_owned(), "ef".to_owned()]));
    let [cd, be, ef] = ["cd", "be", "ef"].map(|name| figure.find(&analysis, name));
    assert_eq!((ef.tangle, ef.feasibility), (None, Feasibility::ByData));
    assert_eq!((cd.tangle, cd.feasibility), (Some(0), Feasibility::ByControl));
    assert_eq!((be.tangle, be.feasibility), (Some(0), Feasibility::Unknown));
    assert_eq!(analysis.tangles, 1);
}

/// Figure 8.1: three partitions of one race each, ⟨c,d⟩ → ⟨e,b⟩ → ⟨e,f⟩, and ⟨c,d⟩ the only first
/// one.
#[test]
fn figure_8_1() {
    let figure = figure_2_1();
    let analysis = figure.analyse(Level::Approximate, Uses::Unknown);
    let told: Vec<(u32, Vec<String>, Vec<u32>)> = analysis
        .partitions
        .iter()
        .map(|partition| {
            let races = partition.races.iter().map(|&race| figure.name(&analysis.races[race as usize]));
            (partition.rank, races.collect(), partition.causes.clone())
        })
        .collect();
    let expected = [(1, "cd", vec![]), (2, "be", vec![0]), (3, "ef", vec![0])];
    assert_eq!(told, expected.map(|(rank, name, causes)| (rank, vec![name.to_owned()], causes)));
}

/// With the complete order there are no tangles, and the infeasible race is not validated; if the
/// queue's values decided nothing, nothing would be an artifact.
#[test]
fn figure_2_1_with_more_information() {
    let figure = figure_2_1();
    let complete = figure.analyse(Level::Complete, Uses::Unknown);
    assert_eq!(complete.tangles, 0);
    assert_ne!(figure.find(&complete, "cd").feasibility, Feasibility::Unknown);
    assert_ne!(figure.find(&complete, "ef").feasibility, Feasibility::Unknown);
    assert_eq!(figure.find(&complete, "be").feasibility, Feasibility::Unknown);
    assert_eq!(complete.partitions[0].races.len(), 1);
    let nothing_used = vec![false; figure.events.len()];
    let idle = figure.analyse(Level::Approximate, Uses::Exact(&nothing_used));
    assert!(idle.races.iter().all(|race| race.feasibility != Feasibility::Unknown));
    assert!(idle.partitions.iter().all(|partition| partition.rank == 1));
}

/// The graph of the thesis, edge by edge, with every pair of steps compared and reachability by
/// searching.
struct Plain {
    /// By step: its events, each an access.
    steps: Vec<Vec<usize>>,
    ordered: Vec<Vec<bool>>,
}

impl Plain {
    fn new(events: &[Event]) -> Self {
        let mut steps: Vec<Vec<usize>> = Vec::new();
        let mut current: BTreeMap<TaskId, usize> = BTreeMap::new();
        for (at, event) in events.iter().enumerate() {
            if let Event::Access { task, .. } = event {
                let step = *current.entry(*task).or_insert(steps.len());
                if step == steps.len() {
                    steps.push(Vec::new());
                }
                steps[step].push(at);
            } else {
                current.remove(&event.task());
            }
        }
        let hb = relations::hb(events);
        let before = |a: &Vec<usize>, b: &Vec<usize>| hb.has(a[0], b[0]);
        let ordered = steps.iter().map(|a| steps.iter().map(|b| before(a, b)).collect()).collect();
        Plain { steps, ordered }
    }

    fn unordered(&self, a: usize, b: usize) -> bool {
        a != b && !self.ordered[a][b] && !self.ordered[b][a]
    }

    /// Whether one step accesses, in the given ways, what the other does.
    fn meet(&self, events: &[Event], a: usize, b: usize, ways: &[(AccessKind, AccessKind)]) -> bool {
        let of = |step: usize| {
            self.steps[step].iter().map(|&at| match events[at] {
                Event::Access { kind, location, .. } => (kind, location),
                _ => panic!("steps have accesses only"),
            })
        };
        of(a).any(|(x, at)| of(b).any(|(y, also)| at == also && ways.contains(&(x, y))))
    }

    /// Start of i is 2i, its finish 2i + 1.
    fn reach(&self, edges: &[(usize, usize)]) -> Vec<Vec<bool>> {
        let nodes = 2 * self.steps.len();
        let mut to = vec![vec![false; nodes]; nodes];
        for a in 0..self.steps.len() {
            to[2 * a][2 * a + 1] = true;
            for b in 0..self.steps.len() {
                to[2 * a + 1][2 * b] |= self.ordered[a][b];
            }
        }
        edges.iter().for_each(|&(a, b)| to[a][b] = true);
        for k in 0..nodes {
            for i in 0..nodes {
                for j in 0..nodes {
                    to[i][j] |= to[i][k] && to[k][j];
                }
            }
        }
        to
    }
}

const WRITE_READ: [(AccessKind, AccessKind); 1] = [(AccessKind::Write, AccessKind::Read)];
const CONFLICTS: [(AccessKind, AccessKind); 3] = [
    (AccessKind::Write, AccessKind::Read),
    (AccessKind::Read, AccessKind::Write),
    (AccessKind::Write, AccessKind::Write),
];

/// All chains of direct dependences whose steps are mutually unordered, from every step.
fn chains(plain: &Plain, direct: &dyn Fn(usize, usize) -> bool) -> HashSet<(usize, usize)> {
    let mut found = HashSet::new();
    let mut paths: Vec<Vec<usize>> = (0..plain.steps.len()).map(|step| vec![step]).collect();
    while let Some(path) = paths.pop() {
        for next in 0..plain.steps.len() {
            let last = path[path.len() - 1];
            if direct(last, next) && path.iter().all(|&step| plain.unordered(step, next)) {
                found.insert((path[0], next));
                paths.push(path.iter().copied().chain([next]).collect());
            }
        }
    }
    found
}

fn agrees(seed: u64, events: &[Event]) -> Option<(bool, bool)> {
    let plain = Plain::new(events);
    if plain.steps.len() > 9 {
        return None;
    }
    let analysis =
        analyse(events, Options { level: Level::Approximate, ..Options::default() }).expect("few races");
    let races: Vec<(usize, usize)> = (0..plain.steps.len())
        .flat_map(|a| (a + 1..plain.steps.len()).map(move |b| (a, b)))
        .filter(|&(a, b)| plain.unordered(a, b) && plain.meet(events, a, b, &CONFLICTS))
        .collect();
    let told: Vec<(usize, usize)> = analysis
        .races
        .iter()
        .map(|race| {
            let step = |begins: u32| plain.steps.iter().position(|step| step[0] == begins as usize).unwrap();
            (step(race.steps[0]), step(race.steps[1]))
        })
        .collect();
    assert_eq!(told.iter().copied().collect::<BTreeSet<_>>(), races.iter().copied().collect(), "seed {seed}");
    let data = |a: usize, b: usize| plain.unordered(a, b) && plain.meet(events, a, b, &CONFLICTS);
    let control = |a: usize, b: usize| plain.unordered(a, b) && plain.meet(events, a, b, &WRITE_READ);
    let finish =
        |pairs: HashSet<(usize, usize)>| pairs.into_iter().map(|(a, b)| (2 * a, 2 * b + 1)).collect();
    let by_data: Vec<(usize, usize)> = finish(chains(&plain, &data));
    let by_control: Vec<(usize, usize)> = finish(chains(&plain, &control));
    let (g_d, g_e) = (plain.reach(&by_data), plain.reach(&by_control));
    let starts: Vec<(usize, usize)> = (0..plain.steps.len())
        .flat_map(|a| (0..plain.steps.len()).map(move |b| (a, b)))
        .filter(|&(a, b)| control(a, b))
        .map(|(a, b)| (2 * a, 2 * b))
        .collect();
    let ordering = plain.reach(&starts);
    let decides = |a: usize, b: usize| a == b || ordering[2 * a][2 * b];
    let affects = |&(a, b): &(usize, usize), &(c, d): &(usize, usize)| {
        (decides(a, c) && decides(b, c)) || (decides(a, d) && decides(b, d))
    };
    let (mut tangled, mut artifact) = (false, false);
    for (race, &(a, b)) in analysis.races.iter().zip(&told) {
        let in_tangle = (g_d[2 * a + 1][2 * b] && g_d[2 * b][2 * a + 1])
            || (g_d[2 * b + 1][2 * a] && g_d[2 * a][2 * b + 1]);
        assert_eq!(race.tangle.is_some(), in_tangle, "seed {seed}: {race:?}");
        tangled |= in_tangle;
        let expected = if !g_d[2 * a + 1][2 * b] && !g_d[2 * b + 1][2 * a] {
            Feasibility::ByData
        } else if !g_e[2 * a + 1][2 * b + 1] && !g_e[2 * b + 1][2 * a + 1] {
            Feasibility::ByControl
        } else {
            Feasibility::Unknown
        };
        assert_eq!(race.feasibility, expected, "seed {seed}: {race:?}");
    }
    // Partitions by Definition 8.2, from the closure of the relation.
    let count = told.len();
    let mut closure = vec![vec![false; count]; count];
    for i in 0..count {
        for j in 0..count {
            closure[i][j] = i == j || affects(&told[i], &told[j]);
        }
    }
    for k in 0..count {
        for i in 0..count {
            for j in 0..count {
                closure[i][j] |= closure[i][k] && closure[k][j];
            }
        }
    }
    let leads = |i: usize, j: usize| closure[i][j];
    for i in 0..count {
        for j in 0..count {
            let same = leads(i, j) && leads(j, i);
            assert_eq!(analysis.races[i].partition == analysis.races[j].partition, same, "seed {seed}");
        }
        let first = (0..count).all(|j| !leads(j, i) || leads(i, j));
        let rank = analysis.partitions[analysis.races[i].partition as usize].rank;
        assert_eq!(rank == 1, first, "seed {seed}");
        artifact |= !first;
    }
    Some((tangled, artifact))
}

const ALMOST_EVERYTHING: Profile = Profile { name: "all but semaphores", semaphores: false, ..EVERYTHING };

#[test]
fn the_reduced_graphs_are_those_of_the_thesis() {
    let (mut checked, mut tangled, mut artifacts) = (0, 0, 0);
    for seed in 0..6000 {
        let program = support::generate(&ALMOST_EVERYTHING, &mut Rng(seed));
        let events = support::run(&program, ALMOST_EVERYTHING.schedule, seed);
        if let Some((tangle, artifact)) = agrees(seed, &events) {
            checked += 1;
            tangled += u32::from(tangle);
            artifacts += u32::from(artifact);
        }
    }
    println!("{checked} runs, {tangled} with tangles, {artifacts} with artifacts");
    assert!(checked > 1000 && tangled > 20 && artifacts > 20, "{checked}, {tangled}, {artifacts}");
}

/// All states that the events of a run can be taken to, in any order that tasks, posts and finishes
/// allow.
fn guaranteed(events: &[Event]) -> Option<HashSet<(usize, usize)>> {
    let mut tasks: BTreeMap<TaskId, Vec<usize>> = BTreeMap::new();
    events.iter().enumerate().for_each(|(at, event)| tasks.entry(event.task()).or_default().push(at));
    let spawned: BTreeMap<TaskId, usize> = events
        .iter()
        .enumerate()
        .filter_map(|(at, event)| match event {
            Event::Spawn { child, .. } => Some((*child, at)),
            _ => None,
        })
        .collect();
    let can = |done: &BTreeSet<usize>, at: usize| match events[at] {
        Event::Join { sync, kind, .. } if !kind.is_section() => {
            let mut signals = (0..events.len())
                .filter(|&other| matches!(events[other], Event::Signal { sync: s, .. } if s == sync))
                .peekable();
            signals.peek().is_none() || signals.any(|signal| done.contains(&signal))
        }
        Event::FinishEnd { scope, .. } => events.iter().all(|event| match *event {
            Event::Spawn { child, scope: inside, .. } if inside == scope => {
                done.iter().any(|&other| events[other] == Event::End { task: child })
            }
            _ => true,
        }),
        _ => true,
    };
    let mut seen: HashSet<BTreeSet<usize>> = HashSet::from([BTreeSet::new()]);
    let mut states = vec![BTreeSet::new()];
    // (a, b): b was seen done while a was not.
    let mut other_way = HashSet::new();
    while let Some(done) = states.pop() {
        if seen.len() > 20_000 {
            return None;
        }
        for b in &done {
            other_way.extend((0..events.len()).filter(|a| !done.contains(a)).map(|a| (a, *b)));
        }
        for (task, own) in &tasks {
            let begun = spawned.get(task).is_none_or(|spawn| done.contains(spawn));
            let next = own.iter().copied().find(|at| !done.contains(at));
            if let Some(next) = next.filter(|&at| begun && can(&done, at)) {
                let mut after = done.clone();
                after.insert(next);
                if seen.insert(after.clone()) {
                    states.push(after);
                }
            }
        }
    }
    let all = (0..events.len()).flat_map(|a| (0..events.len()).map(move |b| (a, b)));
    Some(all.filter(|&(a, b)| a != b && !other_way.contains(&(a, b))).collect())
}

#[test]
fn orderings_that_post_and_wait_guarantee() {
    let profile = Profile { name: "posts", schedule: Schedule::Random, events: true, ..PLAIN };
    let (mut checked, mut general) = (0, 0);
    for seed in 0..4000 {
        let events = support::run(&support::generate(&profile, &mut Rng(seed)), profile.schedule, seed);
        let has =
            |kind: SyncKind| events.iter().any(|e| matches!(e, Event::Signal { kind: k, .. } if *k == kind));
        if events.len() > 22 || !has(SyncKind::Event) {
            continue;
        }
        let Some(truth) = guaranteed(&events) else { continue };
        checked += 1;
        let posts = Posts::new(&events);
        for a in 0..events.len() {
            for b in a + 1..events.len() {
                let expected = match (truth.contains(&(a, b)), truth.contains(&(b, a))) {
                    (true, _) => Guaranteed::FirstBefore,
                    (_, true) => Guaranteed::SecondBefore,
                    _ => Guaranteed::Either,
                };
                assert_eq!(posts.order(a as u32, b as u32), expected, "seed {seed}, {a} and {b}: {events:?}");
            }
        }
        for race in posts.general_races(&mut || false).expect("nobody stops it") {
            general += 1;
            let (a, b) = (race.first_event as usize, race.second_event as usize);
            assert!(!truth.contains(&(a, b)) && !truth.contains(&(b, a)), "seed {seed}: {race:?}");
        }
    }
    assert!(checked > 100 && general > 50, "{checked} runs, {general} general races");
}
