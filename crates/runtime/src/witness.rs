//! From the text of a witness to the schedule a [`Script`](crate::strategy::Script) follows.

use crate::strategy::Turns;
pub use raceproof_core::finding::witness::{BadWitness, decode, encode, path_numbers};
use raceproof_core::finding::{Segment, Witness};
use raceproof_core::ids::TaskId;
use std::collections::HashMap;

/// Tasks a schedule may name, their ancestors included.
const MAX_TASKS: usize = 1 << 24;

/// The schedule a witness describes, for a [`Script`](crate::strategy::Script).
pub fn turns(witness: &Witness) -> Result<Turns, BadWitness> {
    let mut turns = Turns::default();
    let mut children: HashMap<(TaskId, u32), TaskId> = HashMap::new();
    let mut tasks: HashMap<&str, TaskId> = HashMap::new();
    for Segment { task: path, actions } in &witness.schedule {
        let task = match tasks.get(path.as_str()) {
            Some(&task) => task,
            None => {
                let mut task = TaskId::MAIN;
                for (ordinal, times) in path_numbers(path)? {
                    if times > MAX_TASKS - turns.spawned.len().min(MAX_TASKS) {
                        let message = format!("a schedule of more than {MAX_TASKS} tasks");
                        return Err(BadWitness { offset: 0, message });
                    }
                    for _ in 0..times {
                        let spawned = &mut turns.spawned;
                        task = *children.entry((task, ordinal)).or_insert_with(|| {
                            spawned.push((task, ordinal));
                            TaskId::at(spawned.len())
                        });
                    }
                }
                tasks.insert(path, task);
                task
            }
        };
        turns.turns.push((task, *actions));
    }
    Ok(turns)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tasks_are_numbered_with_those_above_them() {
        let witness = decode("rp1:main/2/1*4,main/2*1,main/2*2*5,main*1").unwrap();
        let turns = turns(&witness).unwrap();
        assert_eq!(turns.spawned, [(TaskId(0), 2), (TaskId(1), 1), (TaskId(1), 2)]);
        assert_eq!(turns.turns, [(TaskId(2), 4), (TaskId(1), 1), (TaskId(3), 5), (TaskId(0), 1)]);
    }

    #[test]
    fn a_schedule_of_too_many_tasks_is_refused() {
        let schedule = vec![Segment { task: "main/1*99999999999".into(), actions: 1 }];
        assert!(turns(&Witness { schedule, ..Witness::default() }).is_err());
    }
}
