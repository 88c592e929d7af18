//! The ranks of a job that verify one program together: `mpirun -n N raceproof verify …`.
//!
//! [`raceproof::verify::Ranks`] says how the work is shared out. This is the MPI end of it, behind
//! the feature `mpi`: without it a rank of a job says so, rather than search everything by itself.
//! Only rank 0 has a report, a progress line and a checkpoint. The others have an exit status of 0,
//! or a line that says why they could not take part.

use raceproof::verify::{Link, Ranks, quit};
use raceproof_host::{interrupt, note};
use std::cell::RefCell;
use std::env;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

/// This process among the others.
pub(crate) struct World {
    link: Box<dyn Link>,
    /// How many ranks share this machine.
    neighbours: usize,
    /// Ranks that have died.
    dead: RefCell<Vec<usize>>,
    /// MPI, for whoever is to end it.
    #[cfg(feature = "mpi")]
    universe: mpi::environment::Universe,
}

/// Set to end the executions of a rank other than 0.
static CUT: AtomicBool = AtomicBool::new(false);

/// How many processes the launcher says there are; none if there is no launcher.
fn launched() -> Option<usize> {
    let number = |name: &str| env::var(name).ok()?.parse().ok();
    let step = || number("SLURM_STEP_NUM_TASKS").filter(|_| env::var_os("PMIX_RANK").is_some());
    number("OMPI_COMM_WORLD_SIZE").or_else(|| number("PMI_SIZE")).or_else(step)
}

impl World {
    /// The others, if there are any; an error is for the user.
    #[cfg(not(feature = "mpi"))]
    pub(crate) fn enter() -> Result<Option<World>, String> {
        match launched() {
            Some(size) if size > 1 => Err(format!(
                "this is one of {size} processes of an MPI job, and this raceproof was built without MPI: build it with `cargo build \
                 --release --features raceproof-cli/mpi`, or start it without the launcher"
            )),
            _ => Ok(None),
        }
    }

    /// The others, if there are any; an error is for the user.
    #[cfg(feature = "mpi")]
    pub(crate) fn enter() -> Result<Option<World>, String> {
        use mpi::topology::Communicator;
        if launched().is_none_or(|size| size < 2) {
            return Ok(None);
        }
        // One thread of each rank speaks to the others.
        let (universe, _) = mpi::initialize_with_threading(mpi::Threading::Funneled)
            .ok_or("MPI is there, and does not begin")?;
        let world = universe.world();
        let neighbours = world.split_shared(world.rank()).size().max(1) as usize;
        let alone = world.size() < 2;
        let link = Box::new(Mpi(world));
        Ok((!alone).then(|| World { link, neighbours, dead: RefCell::default(), universe }))
    }

    /// Whether another rank has the report.
    pub(crate) fn follows(&self) -> bool {
        self.link.rank() > 0
    }

    /// The ranks for a search, on this rank.
    pub(crate) fn ranks(&self) -> Ranks<'_> {
        Ranks { link: &*self.link, cut: &CUT, interrupt: Some(interrupt::watch_silently()) }
    }

    /// What ends the executions of this rank.
    pub(crate) fn interrupt(&self) -> &'static AtomicBool {
        if self.follows() { &CUT } else { interrupt::watch() }
    }

    /// How many of these cores are this rank's, if each of its neighbours has as many to itself.
    pub(crate) fn workers(&self, cores: usize) -> usize {
        (cores / self.neighbours).max(1)
    }

    /// The search is over before its end, perhaps because ranks have died. What to say in the report.
    pub(crate) fn died(&self, dead: &[usize], kept: bool) -> Option<String> {
        self.dead.borrow_mut().extend(dead);
        let who = match *dead {
            [] if kept && interrupt::watch_silently().load(Ordering::Relaxed) => {
                return Some(self.go_on(kept));
            }
            [] => return None,
            [rank] => format!("rank {rank} has died"),
            ref ranks => format!("{} ranks have died", ranks.len()),
        };
        let go_on = self.go_on(kept);
        Some(format!("{who}; what it had been given is left to be searched: {go_on}"))
    }

    /// How to resume.
    fn go_on(&self, kept: bool) -> String {
        if !kept {
            return "give --checkpoint FILE to be able to resume".into();
        }
        let words: Vec<String> = env::args().map(|word| quoted(&word)).collect();
        format!("resume with `mpirun -n {} {}`", self.link.size(), words.join(" "))
    }

    /// Ends a rank whose search is over, or `failed` before it came to an end; `kept` says whether
    /// there is a checkpoint.
    pub(crate) fn leave(self, failed: bool, kept: bool) {
        let mut well = !failed && !interrupt::watch_silently().load(Ordering::Relaxed);
        if self.follows() {
            if self.dead.borrow().contains(&0) {
                well = false;
                // One of them is enough.
                if self.link.rank() == 1 {
                    note(&format!("raceproof: rank 0 is gone; {}", self.go_on(kept)));
                }
            }
            if failed {
                // If all have failed alike, rank 0 says why, and the launcher ends the others.
                thread::sleep(Duration::from_millis(500));
            }
        } else if !failed {
            let dead = self.dead.borrow();
            well &= dead.is_empty();
            let interrupted = interrupt::watch_silently().load(Ordering::Relaxed);
            well &= quit(&*self.link, &dead, interrupted);
        }
        // To end MPI in order takes all ranks.
        #[cfg(feature = "mpi")]
        if !well {
            std::mem::forget(self.universe);
        }
        let _ = well;
    }
}

/// A word as a shell takes it.
fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./=+:,@%".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', r"'\''"))
}

#[cfg(feature = "mpi")]
struct Mpi(mpi::topology::SimpleCommunicator);

#[cfg(feature = "mpi")]
impl Link for Mpi {
    fn rank(&self) -> usize {
        mpi::topology::Communicator::rank(&self.0) as usize
    }

    fn size(&self) -> usize {
        mpi::topology::Communicator::size(&self.0) as usize
    }

    fn send(&self, to: usize, message: &[u8]) {
        use mpi::point_to_point::Destination;
        mpi::topology::Communicator::process_at_rank(&self.0, to as i32).send(message);
    }

    fn receive(&self) -> Option<(usize, Vec<u8>)> {
        use mpi::point_to_point::{MatchedReceiveVec, Source};
        let arrived = mpi::topology::Communicator::any_process(&self.0).immediate_matched_probe()?;
        let (message, status) = arrived.matched_receive_vec::<u8>();
        Some((status.source_rank() as usize, message))
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn words_for_a_shell() {
        assert_eq!(super::quoted("--max-seconds=3"), "--max-seconds=3");
        assert_eq!(super::quoted("a b's"), r"'a b'\''s'");
        assert_eq!(super::quoted(""), "''");
    }
}
