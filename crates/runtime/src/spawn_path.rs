//! Spawn paths, the names of tasks: `main/2/1` is the first child of main's second child.
//!
//! A path names the same task in any run of the program in which the task is spawned, whatever the
//! schedule. Chains of tasks can be a million deep, so [`REPEATED`] or more equal numbers in a row
//! are written once, with their count: `main/1*5000/2`. A path of many different numbers is given
//! up for the task's number in its run, `main/…/task#7021`, which is unique in that run only.

use crate::task::Tasks;
use raceproof_core::ids::TaskId;

/// How many equal numbers in a row are abbreviated.
pub const REPEATED: u32 = 32;

/// How many runs of equal numbers a path has at most.
const MAX_RUNS: u32 = 256;

/// The names of the tasks of a run. Making it takes a look at each task; a name is then short work
/// however deep the task is.
#[derive(Default)]
pub struct Paths {
    runs: Vec<Repetition>,
}

/// The run of equal numbers in which the path of a task ends.
#[derive(Clone, Copy)]
struct Repetition {
    ordinal: u32,
    times: u32,
    /// The task before the first of these.
    head: TaskId,
    /// How many runs the whole path has.
    runs: u32,
}

impl Paths {
    pub fn new(tasks: &Tasks) -> Self {
        let mut paths = Paths { runs: Vec::with_capacity(tasks.len()) };
        paths.extend(tasks);
        paths
    }

    /// Takes in the tasks that the run has spawned since.
    pub fn extend(&mut self, tasks: &Tasks) {
        let runs = &mut self.runs;
        for id in (runs.len()..tasks.len()).map(TaskId::at) {
            let task = tasks.get(id);
            let run = match task.parent() {
                None => Repetition { ordinal: 0, times: 0, head: id, runs: 0 },
                Some(parent) => match runs[parent.index()] {
                    same if same.ordinal == task.ordinal => Repetition { times: same.times + 1, ..same },
                    Repetition { runs, .. } => {
                        Repetition { ordinal: task.ordinal, times: 1, head: parent, runs: runs + 1 }
                    }
                },
            };
            runs.push(run);
        }
    }

    /// The name of a task.
    pub fn name(&self, task: TaskId) -> String {
        self.path(task).unwrap_or_else(|| format!("main/…/task#{}", task.0))
    }

    /// The path of a task, unless it is given up.
    pub fn path(&self, task: TaskId) -> Option<String> {
        let last = self.runs[task.index()];
        if last.runs > MAX_RUNS {
            return None;
        }
        let mut runs = Vec::with_capacity(last.runs as usize);
        let mut at = last;
        while at.times > 0 {
            runs.push(at);
            at = self.runs[at.head.index()];
        }
        let mut path = String::from("main");
        for Repetition { ordinal, times, .. } in runs.into_iter().rev() {
            if times < REPEATED {
                path.push_str(&format!("/{ordinal}").repeat(times as usize));
            } else {
                path.push_str(&format!("/{ordinal}*{times}"));
            }
        }
        Some(path)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::witness::path_numbers;
    use raceproof_core::ids::{ScopeId, SiteId};
    use raceproof_core::random::random;

    fn child(tasks: &mut Tasks, parent: TaskId) -> TaskId {
        tasks.add(Some(parent), ScopeId::PROGRAM, SiteId(0), 0)
    }

    #[test]
    fn long_chains_have_short_names() {
        let mut tasks = Tasks::default();
        let main = tasks.add(None, ScopeId::PROGRAM, SiteId(0), 0);
        let mut at = child(&mut tasks, main);
        let second = child(&mut tasks, main);
        let below = child(&mut tasks, second);
        for _ in 1..REPEATED - 1 {
            at = child(&mut tasks, at);
        }
        let almost = at;
        for _ in 0..5000 {
            at = child(&mut tasks, at);
        }
        child(&mut tasks, at);
        let deepest = child(&mut tasks, at);
        let paths = Paths::new(&tasks);
        assert_eq!(paths.name(main), "main");
        assert_eq!(paths.name(second), "main/2");
        assert_eq!(paths.name(below), "main/2/1");
        assert_eq!(paths.name(almost), format!("main{}", "/1".repeat(REPEATED as usize - 1)));
        assert_eq!(paths.name(deepest), format!("main/1*{}/2", 5000 + REPEATED - 1));
    }

    #[test]
    fn a_path_of_many_numbers_is_given_up() {
        let mut tasks = Tasks::default();
        let mut at = tasks.add(None, ScopeId::PROGRAM, SiteId(0), 0);
        let mut path = String::from("main");
        for depth in 0..=MAX_RUNS {
            let paths = Paths::new(&tasks);
            assert_eq!(paths.path(at).as_deref(), Some(path.as_str()), "depth {depth}");
            let first = child(&mut tasks, at);
            at = if depth % 2 == 0 { first } else { child(&mut tasks, at) };
            path += if depth % 2 == 0 { "/1" } else { "/2" };
        }
        let paths = Paths::new(&tasks);
        assert_eq!(paths.path(at), None);
        assert_eq!(paths.name(at), format!("main/…/task#{}", at.0));
    }

    /// A path leads back to its task, for every task of trees that a generator grows, chains among
    /// them.
    #[test]
    fn paths_lead_to_their_tasks() {
        for seed in 0..100 {
            let mut any = random(seed);
            let mut tasks = Tasks::default();
            let mut at = tasks.add(None, ScopeId::PROGRAM, SiteId(0), 0);
            for _ in 0..300 {
                if any(4) == 0 {
                    at = TaskId::at(any(tasks.len()));
                }
                at = child(&mut tasks, at);
            }
            let paths = Paths::new(&tasks);
            let of = |parent: TaskId, ordinal: u32| {
                let is_it = |&id: &TaskId| {
                    let task = tasks.get(id);
                    (task.parent(), task.ordinal) == (Some(parent), ordinal)
                };
                tasks.ids().find(is_it).expect("the path names tasks there are")
            };
            for id in tasks.ids() {
                let path = paths.path(id).expect("no path is so long");
                let numbers = path_numbers(&path).expect("a path can be read");
                let each = numbers.iter().flat_map(|&(ordinal, times)| std::iter::repeat_n(ordinal, times));
                assert_eq!(each.fold(TaskId::MAIN, of), id, "seed {seed}: {path}");
            }
        }
    }
}
