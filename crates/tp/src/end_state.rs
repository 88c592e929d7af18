//! The state at the end of a run as one number: equal for equal states, whatever the schedule that
//! led there.
//!
//! Arrays and promises are named by the task that made them and how many it had made before, so
//! that it does not matter when they were made. What nobody refers to any more counts as well: two
//! schedules that set a promise to different values differ.

use super::value::Value;
use super::vm::{TpTask, Vm};
use raceproof::kernel::Kernel;
use raceproof_core::event::Observer;
use raceproof_core::explore::TaskName;
use raceproof_core::ids::{SyncId, TaskId};
use rustc_hash::{FxHashMap, FxHasher};
use std::hash::Hasher;

/// The number of the state that a run has ended in, if the machine has kept its makers.
pub fn end_state<O: Observer>(vm: &Vm<'_>, kernel: &Kernel<TpTask, O>) -> Option<u64> {
    let makers = vm.makers.as_ref()?;
    let names = task_names(kernel);
    let mut made: FxHashMap<TaskId, u32> = FxHashMap::default();
    let mut name = |task: TaskId| {
        let count = made.entry(task).or_insert(0);
        *count += 1;
        names[task.index()].child(*count).0
    };
    let declared = vm.code.arrays.len() as u32;
    let arrays: Vec<u64> = makers.arrays.iter().map(|&task| name(task)).collect();
    let promises: FxHashMap<SyncId, u64> =
        makers.promises.iter().map(|&(sync, task)| (sync, !name(task))).collect();
    let number = |value: Value| match value {
        Value::Int(value) => (0, value as u64),
        Value::Array(array) if array < declared => (1, u64::from(array)),
        Value::Array(array) => (2, arrays[(array - declared) as usize]),
        Value::Promise(sync) | Value::Future(sync) => (3, promises.get(&sync).copied().unwrap_or(0)),
    };
    let mut state = 0u64;
    // The sum does not depend on the order in which things were made.
    let mut put = |name: u64, values: &mut dyn Iterator<Item = Value>| {
        let mut hash = FxHasher::default();
        hash.write_u64(name);
        for value in values {
            let (kind, content) = number(value);
            hash.write_u8(kind);
            hash.write_u64(content);
        }
        state = state.wrapping_add(hash.finish());
    };
    put(0, &mut (0..vm.code.cells() as u32).map(|cell| vm.memory.get(cell)));
    for (&name, array) in arrays.iter().zip(declared..) {
        let array = vm.memory.array(array);
        put(name, &mut (array.base..array.base + array.len).map(|cell| vm.memory.get(cell)));
    }
    for (&sync, &name) in &promises {
        let value = vm.promised.get(sync.index()).copied().unwrap_or(Value::Int(0));
        let set = i64::from(kernel.is_open(sync));
        put(name, &mut [Value::Int(set), value].into_iter());
    }
    Some(state)
}

fn task_names<O: Observer>(kernel: &Kernel<TpTask, O>) -> Vec<TaskName> {
    let tasks = kernel.tasks();
    let mut names: Vec<TaskName> = Vec::with_capacity(tasks.len());
    for id in tasks.ids() {
        let task = tasks.get(id);
        let name = task.parent().map_or(TaskName::MAIN, |parent| names[parent.index()].child(task.ordinal));
        names.push(name);
    }
    names
}
