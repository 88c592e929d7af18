//! Who may access what, and who has to set what, at the point of the text that is being written.

use super::Generator;

pub struct Var {
    pub name: String,
    /// `None` for a scalar.
    pub len: Option<usize>,
    pub guard: Guard,
    /// A local that holds an array made by `new`: only visible where the local is.
    pub is_local: bool,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Guard {
    /// Anybody, any time.
    Free,
    ReadOnly,
    /// Whoever holds the token. Tokens go down to one child, and come back at the end of a finish,
    /// with the value of a future, or with a promise.
    Token,
    Protected(Protection),
    /// The task that has to set this signal, before it does; then everyone who has got it, to read.
    Via(usize),
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Protection {
    Isolated,
    Lock(&'static str),
    Semaphore,
}

/// A promise or an event: something that is set once and waited for.
pub struct Signal {
    pub kind: SignalKind,
    /// Tokens that its setter leaves to whoever gets it first.
    pub carried: Vec<usize>,
}

#[derive(Clone, PartialEq, Eq)]
pub enum SignalKind {
    /// A promise in this local.
    Local(String),
    /// A promise in this element of `ps`.
    Cell(usize),
    Event(&'static str),
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Local {
    Int,
    Array,
    Promise,
    Future(usize),
}

/// What the generator knows about the task whose body it writes.
#[derive(Clone)]
pub struct Context {
    pub locals: Vec<(String, Local)>,
    pub tokens: Vec<usize>,
    /// Signals this task has to set, ascending.
    pub duties: Vec<usize>,
    /// Signals known to be set.
    pub got: Vec<usize>,
    pub inside: Vec<Protection>,
    /// Inside a proc: a `return` there ends the call, and cannot forget a duty of the caller.
    pub is_proc: bool,
    pub depth: u32,
}

impl Context {
    pub fn root(vars: &[Var]) -> Self {
        Context { tokens: (0..vars.len()).collect(), ..Context::empty() }
    }

    pub fn empty() -> Self {
        Context {
            locals: Vec::new(),
            tokens: Vec::new(),
            duties: Vec::new(),
            got: Vec::new(),
            inside: Vec::new(),
            is_proc: false,
            depth: 0,
        }
    }

    pub fn is_isolated(&self) -> bool {
        self.inside.contains(&Protection::Isolated)
    }

    pub fn sees(&self, name: &str) -> bool {
        self.locals.iter().any(|(local, _)| local == name)
    }

    pub fn locals_of(&self, kind: Local) -> Vec<String> {
        self.locals.iter().filter(|(_, local)| *local == kind).map(|(name, _)| name.clone()).collect()
    }
}

impl Generator {
    /// Whether the discipline lets the task access `var` here.
    pub fn allows(&self, context: &Context, var: usize, write: bool) -> bool {
        match self.vars[var].guard {
            Guard::Free => true,
            Guard::ReadOnly => !write,
            Guard::Token => context.tokens.contains(&var),
            Guard::Protected(protection) => context.inside.contains(&protection),
            Guard::Via(signal) => {
                context.duties.contains(&signal) || (!write && context.got.contains(&signal))
            }
        }
    }

    pub fn visible(&self, context: &Context, var: usize) -> bool {
        !self.vars[var].is_local || context.sees(&self.vars[var].name)
    }

    /// A variable to access: one that the discipline allows, or now and then any.
    pub fn choose_var(&mut self, context: &Context, write: bool, array: Option<bool>) -> Option<usize> {
        let ignore = self.rng.percent(self.noise);
        let candidates: Vec<usize> = (0..self.vars.len())
            .filter(|&var| self.visible(context, var))
            .filter(|&var| array.is_none_or(|array| array == self.vars[var].len.is_some()))
            .filter(|&var| ignore || self.allows(context, var, write))
            .collect();
        // Inside a section, mostly what the section protects.
        let protected: Vec<usize> = candidates
            .iter()
            .copied()
            .filter(|&var| matches!(self.vars[var].guard, Guard::Protected(p) if context.inside.contains(&p)))
            .collect();
        if !protected.is_empty() && self.rng.percent(75) {
            return self.rng.pick(&protected).copied();
        }
        self.rng.pick(&candidates).copied()
    }

    /// A new signal, which `context` has to set. It may take a variable with it.
    pub fn add_signal(&mut self, context: &mut Context, kind: SignalKind) {
        let signal = self.signals.len();
        self.signals.push(Signal { kind, carried: Vec::new() });
        context.duties.push(signal);
        if self.rng.percent(60) {
            let tokens: Vec<usize> =
                context.tokens.iter().copied().filter(|&v| self.vars[v].guard == Guard::Token).collect();
            if let Some(&var) = self.rng.pick(&tokens) {
                self.vars[var].guard = Guard::Via(signal);
            }
        }
    }

    pub fn new_promise(&mut self, context: &mut Context) {
        let cells = self.signals.iter().filter(|s| matches!(s.kind, SignalKind::Cell(_))).count();
        if self.has_cells && cells < 3 && self.rng.percent(60) {
            self.line(&format!("ps[{cells}] = promise();"));
            self.actions -= 1;
            self.add_signal(context, SignalKind::Cell(cells));
        } else {
            let name = self.fresh("p");
            self.line(&format!("let {name} = promise();"));
            context.locals.push((name.clone(), Local::Promise));
            self.add_signal(context, SignalKind::Local(name));
        }
    }

    /// How the text names the promise; `None` for an event.
    pub fn promise_text(&self, signal: usize) -> Option<String> {
        match &self.signals[signal].kind {
            SignalKind::Local(name) => Some(name.clone()),
            SignalKind::Cell(cell) => Some(format!("ps[{cell}]")),
            SignalKind::Event(_) => None,
        }
    }

    pub fn signal_visible(&self, context: &Context, signal: usize) -> bool {
        match &self.signals[signal].kind {
            SignalKind::Local(name) => context.sees(name),
            _ => true,
        }
    }

    /// A signal that `context` may wait for. Waiting only for signals older than all its own duties
    /// keeps tasks from waiting for each other in a circle, unless a finish closes the circle.
    pub fn choose_get(&mut self, context: &Context, event: bool) -> Option<usize> {
        let bound = match context.duties.iter().min() {
            Some(&first) if !self.rng.percent(3) => first,
            _ => usize::MAX,
        };
        let barred: &[usize] = if self.rng.percent(4) { &[] } else { &self.barred };
        let candidates: Vec<usize> = (0..self.signals.len())
            .filter(|&s| event == matches!(self.signals[s].kind, SignalKind::Event(_)))
            .filter(|&s| self.signal_visible(context, s))
            .filter(|&s| (s < bound && !barred.contains(&s)) || context.got.contains(&s))
            .collect();
        self.rng.pick(&candidates).copied()
    }

    /// The task has got `signal`: what was left with it is its own now.
    pub fn note_got(&mut self, context: &mut Context, signal: usize) {
        let carried = std::mem::take(&mut self.signals[signal].carried);
        context.tokens.extend(carried);
        if !context.got.contains(&signal) {
            context.got.push(signal);
        }
    }

    /// The task has set `signal`, and leaves some tokens with it.
    pub fn note_set(&mut self, context: &mut Context, signal: usize) {
        context.duties.retain(|duty| *duty != signal);
        context.got.push(signal);
        let mut kept = Vec::new();
        for token in std::mem::take(&mut context.tokens) {
            if self.rng.percent(40) {
                self.signals[signal].carried.push(token);
            } else {
                kept.push(token);
            }
        }
        context.tokens = kept;
    }

    /// The end of a task: its tokens come back when the innermost finish ends, or never.
    pub fn give_up(&mut self, context: Context) {
        if let Some(finish) = self.finishes.last_mut() {
            finish.extend(context.tokens);
        }
    }
}
