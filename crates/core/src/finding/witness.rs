//! Schedules as text, to be copied out of a report and passed to `replay`: `rp1:main*3,main/1*2`.
//!
//! `rp1:`, then segments separated by commas, each a task by its spawn path and how many actions it
//! takes. A number in a path that is repeated may be written once with its count: `main/1*3/2*7` is
//! 7 actions of `main/1/1/1/2`.

use super::{Segment, Witness};
use std::fmt::{self, Write as _};

const PREFIX: &str = "rp1:";

/// Why a text is no witness, and where.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct BadWitness {
    /// The byte at which it stops being one.
    pub offset: usize,
    pub message: String,
}

impl fmt::Display for BadWitness {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "not a witness, at byte {}: {}", self.offset, self.message)
    }
}

impl std::error::Error for BadWitness {}

/// The text of a witness.
pub fn encode(witness: &Witness) -> String {
    let mut text = String::from(PREFIX);
    for (at, Segment { task, actions }) in witness.schedule.iter().enumerate() {
        let comma = if at > 0 { "," } else { "" };
        // Writing to a string cannot fail.
        let _ = write!(text, "{comma}{task}*{actions}");
    }
    text
}

/// The witness that a text encodes.
pub fn decode(text: &str) -> Result<Witness, BadWitness> {
    let bad = |offset, message: &str| Err(BadWitness { offset, message: message.into() });
    let Some(list) = text.strip_prefix(PREFIX) else {
        return bad(0, "expected `rp1:`");
    };
    let mut schedule = Vec::new();
    let mut offset = PREFIX.len();
    for segment in list.split(',').filter(|_| !list.is_empty()) {
        let Some((task, actions)) = segment.rsplit_once('*') else {
            return bad(offset, "expected a task and its actions, as in `main/1*2`");
        };
        numbers(task, offset)?;
        let Ok(actions) = actions.parse() else {
            return bad(offset + task.len() + 1, "expected a number of actions");
        };
        schedule.push(Segment { task: task.into(), actions });
        offset += segment.len() + 1;
    }
    Ok(Witness { schedule, ..Witness::default() })
}

/// The numbers of a spawn path, each with how often it is repeated.
pub fn path_numbers(path: &str) -> Result<Vec<(u32, usize)>, BadWitness> {
    numbers(path, 0)
}

/// The numbers of a spawn path, each with how often it is repeated. `offset` is where the path
/// begins.
fn numbers(path: &str, mut offset: usize) -> Result<Vec<(u32, usize)>, BadWitness> {
    let mut parts = path.split('/');
    let root = parts.next().unwrap_or_default();
    if root != "main" {
        return Err(BadWitness {
            offset,
            message: format!("expected a path that begins with `main`, found `{root}`"),
        });
    }
    offset += root.len() + 1;
    let mut numbers = Vec::new();
    for part in parts {
        let (ordinal, times) = part.split_once('*').unwrap_or((part, "1"));
        match (ordinal.parse(), times.parse()) {
            (Ok(ordinal), Ok(times)) if ordinal > 0 && times > 0 => numbers.push((ordinal, times)),
            _ => {
                let message = format!("expected the number of a child, counting from 1, found `{part}`");
                return Err(BadWitness { offset, message });
            }
        }
        offset += part.len() + 1;
    }
    Ok(numbers)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::random;

    fn witness(segments: &[(&str, u64)]) -> Witness {
        let segment = |&(task, actions): &(&str, u64)| Segment { task: task.into(), actions };
        Witness { schedule: segments.iter().map(segment).collect(), ..Witness::default() }
    }

    #[test]
    fn texts_come_back() {
        for segments in [
            vec![],
            vec![("main", 3)],
            vec![("main", 3), ("main/1", 2), ("main/12/7", u64::MAX), ("main", 0)],
            vec![("main/1*5000/2", 1)],
        ] {
            let witness = witness(&segments);
            assert_eq!(decode(&encode(&witness)), Ok(witness));
        }
    }

    #[test]
    fn what_is_no_witness_is_refused_with_its_place() {
        for (text, offset) in [
            ("", 0),
            ("rp2:main*1", 0),
            ("rp1:main", 4),
            ("rp1:main*1,", 11),
            ("rp1:main*x", 9),
            ("rp1:main*1,man/1*2", 11),
            ("rp1:main/1/0*2", 11),
            ("rp1:main/1/x/2*2", 11),
            ("rp1:main//2*2", 9),
            ("rp1:main*-1", 9),
            ("rp1:main/2*0*1", 9),
            ("rp1:main/ü*1", 9),
        ] {
            let refused = decode(text).expect_err(text);
            assert_eq!(refused.offset, offset, "{text}: {refused}");
        }
    }

    /// Texts of generated witnesses come back; damaged ones come back or are refused at a byte
    /// there is.
    #[test]
    fn generated_texts_come_back_or_are_refused() {
        for seed in 0..2000 {
            let mut any = random(seed);
            let segment = |any: &mut dyn FnMut(usize) -> usize| {
                let numbers = (0..any(5)).map(|_| match any(3) {
                    0 => format!("/{}*{}", 1 + any(9), 1 + any(99)),
                    _ => format!("/{}", 1 + any(1000)),
                });
                let task = "main".to_owned() + &numbers.collect::<String>();
                Segment { task, actions: any(1 << 40) as u64 }
            };
            let schedule = (0..any(6)).map(|_| segment(&mut any)).collect();
            let witness = Witness { schedule, ..Witness::default() };
            let text = encode(&witness);
            assert_eq!(decode(&text).as_ref(), Ok(&witness), "seed {seed}: {text}");
            let mut bytes = text.into_bytes();
            let at = any(bytes.len());
            bytes[at] = b"0*/,:am"[any(7)];
            let damaged = String::from_utf8(bytes).unwrap();
            match decode(&damaged) {
                // Not the same text: a number may begin with zeros.
                Ok(witness) => assert_eq!(decode(&encode(&witness)), Ok(witness), "seed {seed}"),
                Err(bad) => assert!(bad.offset <= damaged.len(), "seed {seed}: {damaged}: {bad}"),
            }
        }
    }
}
