//! The place where a native program puts what it finds: memory that belongs to the process which
//! has started it.
//!
//! `raceproof run` and `raceproof verify` make a file without a name (`memfd_create`) before the
//! program starts. The program learns where to open it from a word of `RACEPROOF_OPTIONS`, maps it
//! and closes it again. From then on a finding is a few stores into shared memory: it needs no
//! descriptor, no file system, no room on a disk, and it outlives the process however that ends.
//! What is stored are records, appended and never changed but for their count:
//!
//! | bytes | the file begins with |
//! | --- | --- |
//! | 0..8 | [`MAGIC`] |
//! | 8..16 | where the next record goes: advanced before the record is written |
//! | 16..24 | how many records there was no room for |
//!
//! | bytes | a record, from [`FIRST`] on, each at a multiple of 8 |
//! | --- | --- |
//! | 0..4 | the length of what is in it |
//! | 4..8 | its [`Kind`], stored last: 0 is a record that is not whole |
//! | 8..12 | the process that wrote it; several may, if one starts another |
//! | 12..16 | nothing |
//! | 16..24 | of a race, how many times the pair was met |
//! | 24.. | what is in it, as its kind says |

use raceproof_core::finding::{Coverage, Report};
use serde::{Deserialize, Serialize};

/// The first bytes; changes whenever the records do: a program may be linked with another version
/// than the one that runs it.
pub const MAGIC: [u8; 8] = *b"rp-find1";
/// Where the end of the records stands, and the number of those that had no room.
pub const END: usize = 8;
pub const LOST: usize = 16;
/// Where the first record is, and how long the head of each is.
pub const FIRST: usize = 24;
pub const HEAD: usize = 24;

/// How large the file is. Only pages that are written take memory.
pub const SIZE: u64 = 1 << 32;

/// The word of `RACEPROOF_OPTIONS` that says where a program puts its findings.
pub const OPTION: &str = "findings";

/// The word that has it look for every pair of sites of the places that its request names: JSON of
/// `raceproof_symbols::raw::Spot`s.
pub const ALL_PAIRS: &str = "pairs=all";

/// The word that tells it that Rust's test harness runs one test: the thread that `main` creates
/// for it, and waits for, is no parallelism of the test's.
pub const HARNESS: &str = "harness=rust";

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u32)]
pub enum Kind {
    /// A process begins: [`Begin`].
    Begin = 1,
    /// The memory map of the process, as the system writes it.
    Maps,
    /// A race, and an error of the program, as addresses: JSON of `raceproof_symbols::raw`.
    Race,
    Error,
    /// Why the verdict is no more certain than it is: text.
    Limit,
    /// All else that is known at the end of the process: a [`Report`] without what the records
    /// before have.
    Report,
    /// The process is about to become another program: [`Exec`].
    Exec,
    /// It has not; empty.
    GoesOn,
    /// What an execution of a search has to do, and what it answers: JSON of
    /// [`remote`](crate::remote).
    Request,
    Answer,
    /// Where the races of the process are: JSON of `raceproof_symbols::raw::Spot`s.
    Spots,
    /// The trace of an execution of a search, for the answer that follows: the bytes of
    /// [`Trace::to_bytes`](raceproof_core::explore::trace::Trace::to_bytes).
    Trace,
}

impl Kind {
    const ALL: [Kind; 12] = [
        Kind::Begin,
        Kind::Maps,
        Kind::Race,
        Kind::Error,
        Kind::Limit,
        Kind::Report,
        Kind::Exec,
        Kind::GoesOn,
        Kind::Request,
        Kind::Answer,
        Kind::Spots,
        Kind::Trace,
    ];
}

/// What is known when a process begins.
#[derive(Serialize, Deserialize)]
pub struct Begin {
    /// Its working folder, below which files are named by their relative path.
    pub folder: String,
    /// What is known then of what a verdict will rest on.
    #[serde(default)]
    pub coverage: Coverage,
    /// The rules of the races that the user has the program leave out.
    pub suppressions: Option<String>,
}

/// A process becomes another program.
#[derive(Serialize, Deserialize)]
pub struct Exec {
    pub program: String,
    /// What was known then.
    pub report: Report,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Record<'a> {
    pub kind: Kind,
    pub process: u32,
    pub count: u64,
    pub content: &'a [u8],
}

/// The bytes of a record.
pub fn record(kind: Kind, process: u32, content: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(HEAD + content.len());
    bytes.extend((content.len() as u32).to_le_bytes());
    bytes.extend((kind as u32).to_le_bytes());
    bytes.extend(process.to_le_bytes());
    bytes.extend([0; 4]);
    bytes.extend(1u64.to_le_bytes());
    bytes.extend(content);
    bytes.resize(room(content.len()), 0);
    bytes
}

/// How much a record takes.
pub fn room(content: usize) -> usize {
    (HEAD + content).next_multiple_of(8)
}

/// The beginning of the file, with these records in it.
pub fn beginning(records: &[u8]) -> Vec<u8> {
    let mut bytes = MAGIC.to_vec();
    bytes.extend(((FIRST + records.len()) as u64).to_le_bytes());
    bytes.extend(0u64.to_le_bytes());
    bytes.extend(records);
    bytes
}

/// The records of a file, and whether these are all that was written: a process may have been
/// killed in the middle of one, or have damaged them.
pub fn records(bytes: &[u8]) -> (Vec<Record<'_>>, bool) {
    let mut all = Vec::new();
    let word = |at: usize| Some(u32::from_le_bytes(*bytes.get(at..)?.first_chunk()?));
    let long = |at: usize| Some(u64::from_le_bytes(*bytes.get(at..)?.first_chunk()?));
    let (Some(end), Some(lost)) = (long(END), long(LOST)) else { return (all, false) };
    let mut whole = lost == 0 && bytes.starts_with(&MAGIC);
    let mut at = FIRST;
    while (at as u64) < end {
        let head = word(at).zip(word(at + 4)).zip(word(at + 8)).zip(long(at + 16));
        let Some((((length, kind), process), count)) = head else { return (all, false) };
        let content = bytes.get(at + HEAD..).and_then(|rest| rest.get(..length as usize));
        let Some(content) = content else { return (all, false) };
        match Kind::ALL.into_iter().find(|&known| known as u32 == kind) {
            Some(kind) => all.push(Record { kind, process, count, content }),
            None => whole = false,
        }
        at += room(length as usize);
    }
    (all, whole)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file() -> Vec<u8> {
        let all = [
            record(Kind::Begin, 7, b"{}"),
            record(Kind::Limit, 7, b"12345678"),
            record(Kind::GoesOn, 8, b""),
        ];
        beginning(&all.concat())
    }

    #[test]
    fn records_come_back() {
        let bytes = file();
        let (all, whole) = records(&bytes);
        let seen: Vec<_> = all.iter().map(|record| (record.kind, record.process, record.content)).collect();
        let expected: [(Kind, u32, &[u8]); 3] =
            [(Kind::Begin, 7, b"{}"), (Kind::Limit, 7, b"12345678"), (Kind::GoesOn, 8, b"")];
        assert_eq!((seen.as_slice(), whole), (expected.as_slice(), true));
        assert!(Kind::ALL.into_iter().zip(1..).all(|(kind, number)| kind as u32 == number));
    }

    #[test]
    fn damage_is_noticed_and_what_is_before_it_kept() {
        let whole = file();
        for cut in 0..whole.len() {
            let (all, complete) = records(&whole[..cut]);
            assert!(!complete && all.len() < 3, "{cut}");
        }
        for at in 0..whole.len() {
            for value in [0, 0xff] {
                let mut damaged = whole.clone();
                damaged[at] = value;
                let _ = records(&damaged);
            }
        }
        let mut unfinished = whole.clone();
        unfinished[FIRST + 4..FIRST + 8].fill(0);
        let (all, complete) = records(&unfinished);
        assert_eq!((all.len(), complete), (2, false), "a record that is not whole is skipped");
    }
}
