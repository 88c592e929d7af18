//! Programs of a few threads made at random, as the words that `threads.c` runs, and the oracle for
//! them: all interleavings, each a walk through states, deliberately naive.

use super::generate::Random;
use std::collections::{BTreeSet, HashSet};

/// An operation; the number is that of the variable, lock or semaphore.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Op {
    pub what: char,
    pub of: usize,
}

/// The operations of each thread, `main` first. The end of a tried section is `}`, with the number
/// of its mutex.
pub type Program = Vec<Vec<Op>>;

/// What programs are made of beside reads and writes, by the letters of `threads.c`; `m` is a
/// section of a mutex.
pub fn program(random: &mut Random, parts: &str) -> Program {
    let threads = 2 + random.below(2);
    let most = if threads == 2 { 5 } else { 3 };
    (0..threads)
        .map(|_| {
            let mut ops = Vec::new();
            let length = 1 + random.below(most);
            body(random, length, parts, &mut ops);
            ops
        })
        .collect()
}

fn body(random: &mut Random, length: u64, parts: &str, ops: &mut Vec<Op>) {
    let kinds: Vec<char> = "rw".chars().chain(parts.chars()).collect();
    let mut left = length;
    while left > 0 {
        let what = kinds[random.below(kinds.len() as u64) as usize];
        let of = random.below(if "rw".contains(what) { 3 } else { 2 }) as usize;
        left -= 1;
        let section = match what {
            'm' => Some(('l', 'u', "pvbqzZ")),
            'k' => Some(('k', 'K', "k")),
            't' => Some(('t', '}', "")),
            'R' | 'W' => Some((what, 'U', "")),
            _ => None,
        };
        let Some((begin, end, inside)) = section else {
            ops.push(Op { what, of });
            continue;
        };
        let inner = (1 + random.below(2)).min(left);
        left -= inner;
        let inside: String = inside.chars().filter(|part| parts.contains(*part)).collect();
        ops.push(Op { what: begin, of });
        body(random, inner, &inside, ops);
        ops.push(Op { what: end, of });
    }
}

/// The program as an argument of `threads.c`.
pub fn words(program: &Program) -> String {
    let word = |op: &Op| match op.what {
        '}' => "}".to_owned(),
        't' => format!("t{}{{", op.of),
        'b' | 'c' | 's' | 'a' => op.what.to_string(),
        what => format!("{what}{}", op.of),
    };
    let thread = |ops: &Vec<Op>| ops.iter().map(word).collect::<String>();
    program.iter().map(thread).collect::<Vec<_>>().join("/")
}

/// What some interleaving shows.
#[derive(Default, PartialEq, Eq, Debug)]
pub struct Shown {
    /// The variables that are raced for.
    pub races: BTreeSet<String>,
    pub deadlock: bool,
}

#[derive(Clone, PartialEq, Eq, Hash)]
struct State {
    at: Vec<usize>,
    /// Of each thread at a condition variable: whether it waits, or was woken.
    waits: Vec<u8>,
    mutexes: [Option<usize>; 2],
    writers: [Option<usize>; 2],
    readers: [Vec<usize>; 2],
    semaphores: [u32; 2],
    /// Of recursive mutexes: who has them, and how often.
    recursive: [(usize, u32); 2],
    flags: [bool; 2],
    arrived: Vec<usize>,
}

const WAITS: u8 = 1;
const WOKEN: u8 = 2;

/// What all interleavings show; none if there are too many.
pub fn explore(program: &Program) -> Option<Shown> {
    let start = State {
        at: vec![0; program.len()],
        waits: vec![0; program.len()],
        mutexes: [None; 2],
        writers: [None; 2],
        readers: Default::default(),
        semaphores: [0, 1],
        recursive: Default::default(),
        flags: Default::default(),
        arrived: Vec::new(),
    };
    let (mut known, mut todo) = (HashSet::from([start.clone()]), vec![start]);
    let mut shown = Shown::default();
    while let Some(state) = todo.pop() {
        if known.len() > 100_000 {
            return None;
        }
        let next = |thread: usize| program[thread].get(state.at[thread]).copied();
        let ops: Vec<(usize, Op)> =
            (0..program.len()).filter_map(|thread| Some((thread, next(thread)?))).collect();
        for (index, (_, a)) in ops.iter().enumerate() {
            for (_, b) in &ops[index + 1..] {
                let both = [a.what, b.what];
                if a.of == b.of && both.iter().all(|what| "rw".contains(*what)) && both.contains(&'w') {
                    shown.races.insert(format!("x{}", a.of));
                }
            }
        }
        let after: Vec<State> =
            ops.iter().flat_map(|&(thread, op)| steps(program, &state, thread, op)).collect();
        shown.deadlock |= after.is_empty() && !ops.is_empty();
        todo.extend(after.into_iter().filter(|state| known.insert(state.clone())));
    }
    Some(shown)
}

/// The states that a thread can make of one by its next operation: none if it has to wait.
fn steps(program: &Program, state: &State, thread: usize, Op { what, of }: Op) -> Vec<State> {
    let mut new = state.clone();
    new.at[thread] += 1;
    match what {
        'l' | 't' if state.mutexes[of].is_none() => new.mutexes[of] = Some(thread),
        't' => {
            let end = program[thread][state.at[thread]..].iter().position(|op| op.what == '}');
            new.at[thread] = state.at[thread] + end.expect("it ends") + 1;
        }
        'u' | '}' => new.mutexes[of] = None,
        'R' if state.writers[of].is_none() => new.readers[of].push(thread),
        'W' if state.writers[of].is_none() && state.readers[of].is_empty() => new.writers[of] = Some(thread),
        'U' if state.writers[of] == Some(thread) => new.writers[of] = None,
        'U' => new.readers[of].retain(|&reader| reader != thread),
        'p' if state.semaphores[of] > 0 => new.semaphores[of] -= 1,
        'v' => new.semaphores[of] += 1,
        'q' => new.semaphores[of] = new.semaphores[of].saturating_sub(1),
        'k' if state.recursive[of].1 == 0 || state.recursive[of].0 == thread => {
            new.recursive[of] = (thread, state.recursive[of].1 + 1);
        }
        'K' => new.recursive[of].1 -= 1,
        'z' => new.flags[of] = true,
        'Z' if state.flags[of] => {}
        'b' if state.arrived.contains(&thread) => return Vec::new(),
        'b' if state.arrived.is_empty() => {
            new.at[thread] -= 1;
            new.arrived.push(thread);
        }
        'b' => {
            new.at[state.arrived[0]] += 1;
            new.arrived.clear();
        }
        // The mutex around the wait is free between its operations.
        'c' if state.waits[thread] == 0 => {
            new.at[thread] -= 1;
            new.waits[thread] = WAITS;
        }
        'c' if state.waits[thread] == WOKEN => new.waits[thread] = 0,
        's' => {
            let waiting = (0..program.len()).filter(|&other| state.waits[other] == WAITS);
            let woken = waiting.map(|other| {
                let mut woken = new.clone();
                woken.waits[other] = WOKEN;
                woken
            });
            let woken: Vec<State> = woken.collect();
            return if woken.is_empty() { vec![new] } else { woken };
        }
        'a' => new.waits.iter_mut().filter(|waits| **waits == WAITS).for_each(|waits| *waits = WOKEN),
        'r' | 'w' => {}
        _ => return Vec::new(),
    }
    vec![new]
}
