//! Traces to measure with, the same every time, in RAPID's text format: all threads are forked, run
//! in random bursts, and are joined.
//!
//! Of the accesses 15 % are in lock sections, over 1,000 variables and 16 locks, one section in
//! four with another inside; 0.5 % are to the same variables without a lock; the rest are to
//! variables of the thread's own.

use std::io::{self, Write};

const SHARED: u64 = 1000;
const LOCKS: u64 = 16;
/// Variables of its own that a thread has.
const OWN: u64 = 256;
const SITES: u64 = 400;

struct Random(u64);

impl Random {
    fn new(seed: u64) -> Self {
        Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    fn below(&mut self, bound: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 33) % bound
    }
}

struct Writer<W> {
    out: W,
    events: u64,
}

impl<W: Write> Writer<W> {
    fn line(&mut self, thread: u64, op: &str, operand: char, number: u64, site: u64) -> io::Result<()> {
        self.events += 1;
        writeln!(self.out, "T{thread}|{op}({operand}{number})|{site}")
    }

    fn access(&mut self, thread: u64, variable: u64, random: &mut Random) -> io::Result<()> {
        let op = if random.below(3) == 0 { "w" } else { "r" };
        // A site is in the code for one group of variables.
        let site = 1 + (variable * 4 + random.below(4)) % SITES;
        self.line(thread, op, 'V', variable, site)
    }
}

/// Writes a trace of about so many events.
pub(crate) fn generate(out: impl Write, threads: u64, events: u64) -> io::Result<()> {
    let random = &mut Random::new(1);
    let mut out = Writer { out, events: 0 };
    // Thread 0 forks and joins the others.
    for thread in 1..=threads {
        out.line(0, "fork", 'T', thread, 0)?;
    }
    // What a variable is guarded by: the locks keep to their own variables, as in a program that
    // means to be right.
    let guarded = |lock: u64, random: &mut Random| lock + LOCKS * random.below(SHARED / LOCKS);
    while out.events + threads < events {
        let thread = 1 + random.below(threads);
        let burst = 10 + random.below(90);
        let end = out.events + burst;
        while out.events < end {
            match random.below(1000) {
                // A section has three accesses on average, so that they are 15 % of all.
                0..55 => {
                    let lock = random.below(LOCKS);
                    out.line(thread, "acq", 'L', lock, 1)?;
                    for _ in 0..1 + random.below(4) {
                        let variable = guarded(lock, random);
                        out.access(thread, variable, random)?;
                    }
                    if random.below(4) == 0 && lock + 1 < LOCKS {
                        let inner = lock + 1 + random.below(LOCKS - lock - 1);
                        out.line(thread, "acq", 'L', inner, 2)?;
                        let variable = guarded(inner, random);
                        out.access(thread, variable, random)?;
                        out.line(thread, "rel", 'L', inner, 3)?;
                    }
                    out.line(thread, "rel", 'L', lock, 4)?;
                }
                55..60 => {
                    let variable = random.below(SHARED);
                    out.access(thread, variable, random)?;
                }
                _ => {
                    let variable = SHARED + thread * OWN + random.below(OWN);
                    out.access(thread, variable, random)?;
                }
            }
        }
    }
    for thread in 1..=threads {
        out.line(0, "join", 'T', thread, 5)?;
    }
    out.out.flush()
}
