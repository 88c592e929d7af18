//! Random small TP programs.
//!
//! Programs made of arbitrary accesses are nearly all racy, and a detector that always says "race"
//! would look good on them. So the generator keeps a discipline (`ownership.rs`): every shared
//! variable has a guard that says who may access it when, such as "whoever holds its token",
//! "inside isolated", "after this promise is got". A careful program keeps to it and has no race; a
//! careless one breaks it now and then, and has races in the midst of synchronisation that is
//! otherwise right. The same goes for promises: the right and duty to set one is handed down to
//! exactly one task, so deadlocks and second sets are rare but present.
//!
//! None of this decides a verdict: that is the oracle's business alone.

mod expr;
mod ownership;
mod procs;
mod spawn;
mod stmt;

use super::rng::Rng;
use ownership::{Context, Guard, Protection, Signal, SignalKind, Var};

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Profile {
    /// `async`, `finish`, `forall`, `forasync`.
    AsyncFinish,
    /// The same with futures, passed down in locals.
    Futures,
    /// With promises: joins that are no tree, gets that block in depth-first order, several in one
    /// task.
    Promises,
    /// `async`, `finish` and `isolated`, with control flow that depends on the order of the
    /// sections.
    Isolated,
    /// Two named locks, also nested, also in the wrong order.
    Locks,
    /// Everything, with semaphores, events and `async await`.
    Mixed,
}

impl Profile {
    pub const ALL: [Profile; 6] = [
        Profile::AsyncFinish,
        Profile::Futures,
        Profile::Promises,
        Profile::Isolated,
        Profile::Locks,
        Profile::Mixed,
    ];

    /// How many programs in a hundred break the discipline now and then; the more synchronisation
    /// there is, the more often that does no harm. Measured, so that 30 to 60 in a hundred have a
    /// race.
    fn careless(self) -> u32 {
        match self {
            Profile::AsyncFinish => 65,
            Profile::Futures => 72,
            Profile::Promises | Profile::Isolated | Profile::Locks => 80,
            Profile::Mixed => 92,
        }
    }

    fn has_futures(self) -> bool {
        matches!(self, Profile::Futures | Profile::Mixed)
    }
    fn has_promises(self) -> bool {
        matches!(self, Profile::Promises | Profile::Mixed)
    }
    fn has_isolated(self) -> bool {
        matches!(self, Profile::Isolated | Profile::Mixed)
    }
    fn has_locks(self) -> bool {
        matches!(self, Profile::Locks | Profile::Mixed)
    }
    fn has_semaphores(self) -> bool {
        self == Profile::Mixed
    }
}

/// The source of a program; the same profile and seed give the same text.
pub fn generate(profile: Profile, seed: u64) -> String {
    // Profiles with the same seed should not make the same choices.
    let mut rng = Rng::new(seed ^ (profile as u64 + 1).wrapping_mul(0xd6e8_feb8_6659_fd93));
    rng.next();
    let careless = rng.percent(profile.careless());
    let mut generator = Generator {
        noise: if careless { 15 + rng.range(0, 30) as u32 } else { 0 },
        actions: rng.range(8, 20) as i32,
        tasks: rng.range(2, 5) as i32,
        rng,
        profile,
        careless,
        vars: Vec::new(),
        signals: Vec::new(),
        futures: Vec::new(),
        finishes: Vec::new(),
        procs: Vec::new(),
        lines: Vec::new(),
        indent: 0,
        repeat: 1,
        conditional: 0,
        fresh: 0,
        has_cells: false,
        started: false,
        barred: Vec::new(),
    };
    generator.program()
}

struct Generator {
    rng: Rng,
    profile: Profile,
    careless: bool,
    /// How often, in percent, a guard is ignored.
    noise: u32,
    /// Shared actions and tasks still to be given away: the oracle's work grows with their power.
    actions: i32,
    tasks: i32,
    vars: Vec<Var>,
    signals: Vec<Signal>,
    /// For every future, the tokens its body leaves to whoever gets it first.
    futures: Vec<Vec<usize>>,
    /// For every open finish, the tokens that come back at its end.
    finishes: Vec<Vec<usize>>,
    procs: Vec<procs::Helper>,
    lines: Vec<String>,
    indent: usize,
    /// How often the statement at hand is run, by the loops around it.
    repeat: i32,
    /// Depth of branches and loops around the statement at hand, within its task.
    conditional: u32,
    fresh: u32,
    /// Whether some promises live in the shared array `ps`.
    has_cells: bool,
    /// Whether some task was started in the text so far.
    started: bool,
    /// Signals whose setter waits in a finish around the text at hand, and sets them only after it.
    barred: Vec<usize>,
}

impl Generator {
    fn program(&mut self) -> String {
        let mut decls = self.declarations();
        self.choose_helpers();
        let mut main = Context::root(&self.vars);
        let body = self.captured(|this| {
            this.initialise(&mut main);
            let statements = this.rng.range(4, 8);
            this.statements(&mut main, statements);
            while this.actions > 4 && this.lines.len() < 40 {
                this.statements(&mut main, 1);
            }
            this.discharge_all(&mut main);
            this.give_up(main);
        });
        let helpers: Vec<String> = self.helper_texts();
        decls.extend(helpers);
        decls.push(format!("proc main() {{\n{body}}}"));
        decls.join("\n") + "\n"
    }

    fn declarations(&mut self) -> Vec<String> {
        let mut decls = Vec::new();
        let scalars = self.rng.range(1, 4);
        for name in ["x", "y", "z"].iter().take(scalars) {
            let init = self.rng.range(0, 2);
            decls.push(if init == 0 { format!("var {name};") } else { format!("var {name} = {init};") });
            let guard = self.guard();
            self.vars.push(Var { name: name.to_string(), len: None, guard, is_local: false });
        }
        if self.rng.percent(45) {
            let len = self.rng.range(2, 4);
            decls.push(format!("var a[{len}];"));
            let guard = self.guard();
            self.vars.push(Var { name: "a".to_string(), len: Some(len), guard, is_local: false });
        }
        if self.profile.has_promises() && self.rng.percent(40) {
            self.has_cells = true;
            decls.push("var ps[3];".to_string());
        }
        if self.profile.has_locks() {
            decls.push("lock l;".to_string());
            decls.push("lock m;".to_string());
        }
        if self.profile.has_semaphores() {
            decls.push("sem s = 1;".to_string());
            decls.push("event e;".to_string());
        }
        decls
    }

    fn guard(&mut self) -> Guard {
        let protected = |yes: bool| if yes { 45 } else { 0 };
        let locks = protected(self.profile.has_locks());
        self.rng
            .weighted(&[
                (45, Guard::Token),
                (12, Guard::ReadOnly),
                (if self.careless { 20 } else { 0 }, Guard::Free),
                (protected(self.profile.has_isolated()), Guard::Protected(Protection::Isolated)),
                (locks * 2 / 3, Guard::Protected(Protection::Lock("l"))),
                (locks / 3, Guard::Protected(Protection::Lock("m"))),
                (if self.profile.has_semaphores() { 15 } else { 0 }, Guard::Protected(Protection::Semaphore)),
            ])
            .expect("some weights are positive")
    }

    /// The promises of `main`, and the duty to post the event.
    fn initialise(&mut self, main: &mut Context) {
        if self.profile.has_promises() {
            let count = self.rng.range(1, 4);
            for _ in 0..count {
                self.new_promise(main);
            }
        }
        if self.profile.has_semaphores() && self.rng.percent(50) {
            self.add_signal(main, SignalKind::Event("e"));
        }
        // Something that everybody in the text below can see, made by `new`.
        if self.rng.percent(15) {
            let name = self.fresh("b");
            self.line(&format!("let {name} = new(2);"));
            let var = self.vars.len();
            self.vars.push(Var { name: name.clone(), len: Some(2), guard: Guard::Token, is_local: true });
            main.locals.push((name, ownership::Local::Array));
            main.tokens.push(var);
        }
    }

    fn fresh(&mut self, prefix: &str) -> String {
        self.fresh += 1;
        format!("{prefix}{}", self.fresh)
    }

    fn line(&mut self, text: &str) {
        self.lines.push(format!("{}{text}\n", "  ".repeat(self.indent)));
    }

    /// The lines that `write` writes, as the body of something.
    fn captured(&mut self, write: impl FnOnce(&mut Self)) -> String {
        let outside = std::mem::take(&mut self.lines);
        let indent = std::mem::replace(&mut self.indent, 1);
        write(self);
        self.indent = indent;
        std::mem::replace(&mut self.lines, outside).concat()
    }
}
