//! Programs that mostly enter sections: a few tasks, few locks, few locations, so that sections
//! conflict and nest.

use super::{Rng, Stmt, Stmt::*};

#[derive(Clone, Copy, Debug)]
pub struct Sectioned {
    pub name: &'static str,
    /// One lock is `isolated`; several are locks that nest.
    pub locks: usize,
    /// Whether promises are set and got, also inside of sections (a get only inside of a lock's).
    pub signals: bool,
}

pub fn generate(shape: &Sectioned, rng: &mut Rng) -> Vec<Stmt> {
    let tasks = 2 + rng.below(3);
    let locations = 1 + rng.below(3);
    let mut program = Vec::new();
    for _ in 0..tasks {
        let length = 1 + rng.below(5);
        let body = body(shape, rng, length, locations, 0, &mut Vec::new());
        program.push(match rng.below(6) {
            0 => Finish(vec![Async(body)]),
            1 => Future(0, body),
            _ => Async(body),
        });
        if rng.below(4) == 0 {
            program.extend(self::body(shape, rng, 1, locations, 0, &mut Vec::new()));
        }
    }
    program
}

fn body(
    shape: &Sectioned,
    rng: &mut Rng,
    length: usize,
    locations: usize,
    depth: usize,
    held: &mut Vec<u8>,
) -> Vec<Stmt> {
    let mut body = Vec::new();
    for _ in 0..length {
        let location = rng.below(locations) as u8;
        let inside = shape.locks == 1 && depth > 0;
        body.push(match rng.below(12) {
            0..=4 if depth < 3 && !inside => {
                if shape.locks == 1 {
                    let length = 1 + rng.below(3);
                    Isolated(self::body(shape, rng, length, locations, depth + 1, held))
                } else {
                    let lock = rng.below(shape.locks) as u8;
                    if held.contains(&lock) {
                        continue;
                    }
                    held.push(lock);
                    let length = 1 + rng.below(3);
                    let inner = self::body(shape, rng, length, locations, depth + 1, held);
                    held.pop();
                    With(lock, inner)
                }
            }
            0..=5 => Read(location),
            6..=9 => Write(location),
            10 if shape.signals => Set(rng.below(3) as u8),
            11 if shape.signals && !inside => Get(rng.below(3) as u8),
            10 if !inside && depth < 2 => Async(self::body(shape, rng, 2, locations, 2, &mut Vec::new())),
            _ => Write(location),
        });
    }
    body
}
