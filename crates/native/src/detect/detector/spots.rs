//! Names of memory for another run of the program, and what they stand for in this one.
//!
//! A run that goes the same way, as the depth-first one does with the same input, allocates the
//! same blocks in the same order and lends the same stacks to the same tasks, wherever the system
//! has put them.

use super::watched::Watching;
use crate::detect::detector;
use crate::detect::memory::Block;
use crate::detect::modules::modules;
use crate::process::channel;
use raceproof_symbols::raw::Spot;

/// The name of an address, which is or was in this block.
pub(crate) fn name(address: usize, block: Option<(usize, Block)>) -> Option<Spot> {
    if let Some((base, block)) = block {
        return Some(Spot::Block { ordinal: block.ordinal, offset: address - base });
    }
    let detector = detector();
    if let Some((batch, offset)) = detector.stacks.place(address) {
        return Some(Spot::TaskStack { batch, offset });
    }
    if let Some((_, offset)) = detector.main_stack.place(address) {
        return Some(Spot::MainStack { offset });
    }
    let holds = |&(start, size): &(usize, usize)| address.wrapping_sub(start) < size;
    let modules = modules();
    let number = modules.iter().position(holds)?;
    Some(Spot::Module { number, offset: address - modules[number].0 })
}

/// Has every pair of sites looked for that access the places this process was asked about. Called
/// once, when it is set up.
pub(crate) fn watch() {
    let spots: Vec<Spot> = match channel::request().map(serde_json::from_slice) {
        Some(Ok(spots)) => spots,
        _ => crate::fatal("what is to be watched is not understood: this option is for `raceproof run`"),
    };
    let batches =
        spots.iter().map(|spot| if let Spot::TaskStack { batch, .. } = spot { batch + 1 } else { 0 });
    let detector = detector();
    // Without room for them, what is on stacks is not watched, and nobody gets one either.
    let _ = detector.stacks.reserve(batches.max().unwrap_or(0));
    let _ = detector.main_stack.reserve(1);
    let modules = modules();
    let address = |spot: &Spot| match *spot {
        Spot::Module { number, offset } => {
            modules.get(number).filter(|(_, size)| offset < *size).map(|(start, _)| start + offset)
        }
        Spot::TaskStack { batch, offset } => detector.stacks.address(batch, offset),
        Spot::MainStack { offset } => detector.main_stack.address(0, offset),
        Spot::Block { .. } => None,
    };
    let watching = Watching::new(spots, address);
    detector.watch(watching);
}
