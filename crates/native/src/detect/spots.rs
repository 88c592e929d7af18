//! Names of memory for another run of the program, and what they stand for in this one.
//!
//! A run that goes the same way, as the depth-first one does with the same input, allocates the same blocks in the same order and lends the same
//! stacks to the same tasks, wherever the system has put them.

use crate::detect::detector::watched::Watching;
use crate::detect::memory::Block;
use crate::report::channel;
use crate::world;
use raceproof_symbols::raw::Spot;

/// The name of an address, which is or was in this block.
pub(crate) fn name(address: usize, block: Option<(usize, Block)>) -> Option<Spot> {
    if let Some((base, block)) = block {
        return Some(Spot::Block { ordinal: block.ordinal, offset: address - base });
    }
    let world = world();
    if let Some((batch, offset)) = world.detector.stacks.place(address) {
        return Some(Spot::TaskStack { batch, offset });
    }
    if let Some((_, offset)) = world.main_stack.place(address) {
        return Some(Spot::MainStack { offset });
    }
    let holds = |&(start, size): &(usize, usize)| address.wrapping_sub(start) < size;
    let modules = modules();
    let number = modules.iter().position(holds)?;
    Some(Spot::Module { number, offset: address - modules[number].0 })
}

/// Has every pair of sites looked for that access the places this process was asked about. Called once, when it is set up.
pub(crate) fn watch() {
    let spots: Vec<Spot> = match channel::request().map(serde_json::from_slice) {
        Some(Ok(spots)) => spots,
        _ => crate::fatal("what is to be watched is not understood: this option is for `raceproof run`"),
    };
    let batches =
        spots.iter().map(|spot| if let Spot::TaskStack { batch, .. } = spot { batch + 1 } else { 0 });
    let world = world();
    // Without room for them, what is on stacks is not watched, and nobody gets one either.
    let _ = world.detector.stacks.reserve(batches.max().unwrap_or(0));
    let _ = world.main_stack.reserve(1);
    let modules = modules();
    let address = |spot: &Spot| match *spot {
        Spot::Module { number, offset } => {
            modules.get(number).filter(|(_, size)| offset < *size).map(|(start, _)| start + offset)
        }
        Spot::TaskStack { batch, offset } => world.detector.stacks.address(batch, offset),
        Spot::MainStack { offset } => world.main_stack.address(0, offset),
        Spot::Block { .. } => None,
    };
    let watching = Watching::new(spots, address);
    world.detector.watch(watching);
}

/// The modules of the process: where each begins, and how far it goes.
pub(crate) fn modules() -> Vec<(usize, usize)> {
    unsafe extern "C" fn add(
        info: *mut libc::dl_phdr_info,
        _: libc::size_t,
        all: *mut libc::c_void,
    ) -> libc::c_int {
        // SAFETY: the C library calls this with a valid description, and `all` is the list below.
        let (info, all) = unsafe { (&*info, &mut *all.cast::<Vec<(usize, usize)>>()) };
        let mut extent: Option<(usize, usize)> = None;
        for index in 0..info.dlpi_phnum {
            // SAFETY: the table has that many entries.
            let header = unsafe { &*info.dlpi_phdr.add(index as usize) };
            if header.p_type == libc::PT_LOAD {
                let from = info.dlpi_addr as usize + header.p_vaddr as usize;
                let to = from + header.p_memsz as usize;
                let (start, end) = extent.unwrap_or((from, to));
                extent = Some((start.min(from), end.max(to)));
            }
        }
        all.extend(extent.map(|(start, end)| (start, end - start)));
        0
    }
    let mut all: Vec<(usize, usize)> = Vec::new();
    // SAFETY: the function has the right type and outlives the call.
    unsafe { libc::dl_iterate_phdr(Some(add), (&raw mut all).cast()) };
    all
}
