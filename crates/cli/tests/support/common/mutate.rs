//! Random damage to programs. Every input follows from a seed and its number.

use super::random;
use std::fs;

pub struct Random(random::Random);

impl Random {
    /// The source of input number `number` under a seed.
    pub fn new(seed: u64, number: u64) -> Self {
        let mut seeds = random::Random(seed);
        Random(random::Random(seeds.next() ^ number))
    }

    pub fn below(&mut self, bound: usize) -> usize {
        self.0.below(bound.max(1))
    }

    /// A range within `0..len`, more often short than long.
    fn range(&mut self, len: usize) -> std::ops::Range<usize> {
        let most = if self.below(4) == 0 { len } else { len.min(16) };
        let size = self.below(most + 1);
        let start = self.below(len - size + 1);
        start..start + size
    }
}

const TOKENS: &str = "var lock sem event proc let if else while for in async await finish forall forasync isolated with \
    set P V post wait print assert return skip true false promise future new len get main x a l s e f p \
    0 1 9223372036854775807 9223372036854775808 18446744073709551616 1.5 0x1 \
    || && == != <= >= .. < > = + - * / % ! ( ) [ ] { } , ; . // /* */ \" ' & | @ # é – “ \u{feff} \u{0} \u{200b} 🦀";

/// The programs in some folders of this crate, in the order of their names.
///
/// Long inputs test little that short ones do not, and cost the time of many.
pub fn programs(folders: &[&str]) -> Vec<String> {
    let mut paths: Vec<_> = folders
        .iter()
        .flat_map(|folder| fs::read_dir(format!("{}/{folder}", env!("CARGO_MANIFEST_DIR"))).unwrap())
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "tp"))
        .collect();
    paths.sort();
    let texts = paths.iter().map(|path| fs::read_to_string(path).unwrap());
    texts.filter(|text| text.len() < 4000).collect()
}

/// An input: one of `seeds`, damaged a few times with pieces of `others`.
pub fn input(seeds: &[String], others: &[String], random: &mut Random) -> String {
    let mut text = seeds[random.below(seeds.len())].clone();
    let rounds = [1, 1, 1, 2, 2, 3, 4][random.below(7)];
    for _ in 0..rounds {
        let other = &others[random.below(others.len())];
        text = mutate(&text, other, random);
    }
    text
}

/// Words, numbers, symbols and blanks, so that a mutation can keep or move them whole.
fn pieces(text: &str) -> Vec<&str> {
    let word = |c: char| c.is_alphanumeric() || c == '_';
    let mut pieces = Vec::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let len = if word(first) { rest.find(|c| !word(c)).unwrap_or(rest.len()) } else { first.len_utf8() };
        pieces.push(&rest[..len]);
        rest = &rest[len..];
    }
    pieces
}

fn mutate(text: &str, other: &str, random: &mut Random) -> String {
    match random.below(13) {
        0 => {
            let mut bytes = text.as_bytes().to_vec();
            for _ in 0..=random.below(4) {
                let at = random.below(bytes.len());
                if let Some(byte) = bytes.get_mut(at) {
                    *byte ^= 1 << random.below(8);
                }
            }
            String::from_utf8_lossy(&bytes).into_owned()
        }
        1 => {
            let mut end = random.below(text.len() + 1);
            while !text.is_char_boundary(end) {
                end -= 1;
            }
            text[..end].to_owned()
        }
        kind => {
            let (mut ours, theirs) = (pieces(text), pieces(other));
            let ours_range = random.range(ours.len());
            let theirs_range = random.range(theirs.len());
            let mut tokens = TOKENS.split_whitespace();
            let blanks = ["\r", "\r\n", "\n", "\t", "\u{2028}", "\u{85}", "\u{b}", "\u{a0}"];
            let token = tokens.nth(random.below(TOKENS.split_whitespace().count())).unwrap_or(" ");
            match kind {
                2 => drop(ours.drain(ours_range)),
                3 => drop(ours.splice(ours_range, theirs[theirs_range].iter().copied())),
                4 => {
                    let copy = ours[ours_range.clone()].to_vec();
                    ours.splice(ours_range.end..ours_range.end, copy);
                }
                5 => {
                    let copy = ours[ours_range.clone()].to_vec();
                    let times = random.below(300);
                    ours.splice(ours_range.end..ours_range.end, copy.repeat(times));
                }
                6 => ours.insert(ours_range.start, token),
                7 if ours_range.start < ours.len() => ours[ours_range.start] = token,
                8 => ours.insert(ours_range.start, blanks[random.below(blanks.len())]),
                9..12 => like_for_like(&mut ours, &theirs, random),
                _ => {
                    let copy = ours[ours_range].to_vec();
                    let at = random.below(ours.len() + 1);
                    ours.splice(at..at, copy);
                }
            }
            ours.truncate(20_000);
            ours.concat()
        }
    }
}

/// Replaces some pieces by others of their kind: the syntax often survives, with another tree.
fn like_for_like<'a>(ours: &mut [&'a str], theirs: &[&'a str], random: &mut Random) {
    let kind = |piece: &str| match piece.bytes().next() {
        Some(b'0'..=b'9') => 0,
        Some(b'+' | b'-' | b'*' | b'/' | b'%' | b'<' | b'>') => 1,
        Some(b'a'..=b'z' | b'A'..=b'Z' | b'_') => 2,
        _ => 3,
    };
    for _ in 0..=random.below(8) {
        let (at, from) = (random.below(ours.len()), random.below(theirs.len()));
        if let (Some(&old), Some(&new)) = (ours.get(at), theirs.get(from))
            && kind(old) != 3
            && kind(old) == kind(new)
        {
            ours[at] = new;
        }
    }
}
