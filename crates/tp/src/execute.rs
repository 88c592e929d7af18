//! TP programs as [programs](Program) of the runtime.

use super::code::Code;
use super::end_state::end_state;
use super::fault::{Fault, Limit, What};
use super::vm::{TpTask, Vm};
use raceproof::program::{self, Failure, LISTED, OUTERMOST, Program, Raise, run_once};
use raceproof::run::Run;
use raceproof::strategy::Strategy;
use raceproof_core::event::Observer;
use raceproof_core::finding::{Frame, Place};
use raceproof_core::ids::{Location, SiteId, SyncId};

pub use raceproof::program::Bounds;

/// A compiled program and what its source is called.
#[derive(Clone, Copy)]
pub struct Tp<'a> {
    pub code: &'a Code,
    /// The name of the source file, for places.
    pub file: &'a str,
}

/// A finished execution.
pub type Execution<'a, O> = program::Execution<'a, Tp<'a>, O>;

/// Runs the program under `strategy`, and notifies `observer` of its events.
pub fn execute<'a, O: Observer, S: Strategy<TpTask, O>>(
    code: &'a Code,
    file: &'a str,
    observer: O,
    strategy: &mut S,
    bounds: Bounds<'a>,
) -> Execution<'a, O> {
    run_once(&Tp { code, file }, strategy, observer, bounds)
}

impl<'a> Program<'a> for Tp<'a> {
    type Body = TpTask;
    type Error = Fault;
    type Machine<O: Observer> = Vm<'a>;

    const RAISE: Raise = Raise::OPTIONS;

    fn start<O: Observer>(&self, observer: O, bounds: &Bounds<'a>) -> Run<Vm<'a>, O> {
        let mut vm = Vm::new(self.code, bounds.limits);
        if bounds.keep_output {
            vm.output = Some(String::new());
        }
        if bounds.keep_end_state {
            vm.keep_makers();
        }
        if bounds.keep_uses {
            vm.flow = Some(Box::default());
        }
        vm.tells_additions = bounds.tell_additions;
        let main = vm.main();
        let mut run = Run::new(vm, observer, main);
        run.machine.declare(&mut run.kernel);
        run
    }

    fn place(&self, site: SiteId) -> Place {
        let info = self.code.sites[site.index()];
        Place { file: self.file.to_owned(), line: info.line, column: info.column }
    }

    fn location<O: Observer>(&self, vm: &Vm<'a>, location: Location) -> String {
        vm.memory.name(self.code, location)
    }

    fn sync<O: Observer>(&self, vm: &Vm<'a>, sync: SyncId) -> String {
        vm.sync_name(sync)
            .or_else(|| {
                let Place { line, column, .. } = self.place(vm.made(sync)?);
                Some(format!("made at {line}:{column}"))
            })
            .unwrap_or_default()
    }

    fn calls<O: Observer>(&self, vm: &Vm<'a>, body: &TpTask) -> Vec<Frame> {
        let frame = |(function, site): (&str, SiteId)| Frame {
            function: function.to_owned(),
            call: self.place(site),
        };
        let depth = vm.calls(body).count();
        if depth <= LISTED {
            return vm.calls(body).map(frame).collect();
        }
        // A frame without a line says how many are left out.
        let innermost = LISTED - OUTERMOST;
        let left_out = depth - LISTED;
        let mut frames: Vec<Frame> = vm.calls(body).take(innermost).map(frame).collect();
        let call = Place { file: self.file.to_owned(), line: 0, column: 0 };
        frames.push(Frame { function: format!("{left_out} further calls"), call });
        frames.extend(vm.calls(body).skip(innermost + left_out).map(frame));
        frames
    }

    fn uses<O: Observer>(&self, vm: &Vm<'a>) -> Option<Vec<bool>> {
        vm.flow.as_ref().map(|flow| flow.uses())
    }

    fn waits_at(&self, body: &TpTask) -> Option<SiteId> {
        body.site(self.code)
    }

    fn future(&self, body: &TpTask) -> Option<SyncId> {
        body.future()
    }

    fn failure(&self, fault: &Fault) -> Failure {
        let kind = match fault.what {
            What::Error(kind) => Some(kind.name()),
            What::Limit(_) => None,
        };
        let raise = match fault.what {
            What::Limit(Limit::Seconds) => Some(Self::RAISE.seconds),
            What::Limit(Limit::Memory(_)) => Some(Self::RAISE.memory),
            _ => None,
        };
        let by_chance =
            matches!(fault.what, What::Limit(Limit::Seconds | Limit::Memory(_) | Limit::Interrupted));
        let advice = raise.map(|raise| format!("; raise {raise}, or give the program a smaller input"));
        let message = format!("{}{}", fault.message, advice.unwrap_or_default());
        Failure { kind, message, at: fault.site.map(|site| self.place(site)), by_chance }
    }

    fn looks<O: Observer>(&self, vm: &Vm<'a>) -> u64 {
        vm.looks
    }

    fn reads<O: Observer>(&self, vm: &Vm<'a>) -> u64 {
        vm.reads
    }

    fn writes<O: Observer>(&self, vm: &Vm<'a>) -> u64 {
        vm.writes
    }

    fn end_state<O: Observer>(&self, run: &Run<Vm<'a>, O>) -> Option<u64> {
        end_state(&run.machine, &run.kernel)
    }

    fn output<O: Observer>(&self, vm: &mut Vm<'a>) -> String {
        vm.output.take().unwrap_or_default()
    }
}
