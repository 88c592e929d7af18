//! Statements other than those that start tasks.

use super::Generator;
use super::ownership::{Context, Guard, Local, Protection, SignalKind};

#[derive(Clone, Copy)]
enum Kind {
    Write,
    Let,
    AssignLocal,
    If,
    For,
    While,
    Async,
    Loop,
    Finish,
    Future,
    Get,
    Set,
    NewPromise,
    Isolated,
    With,
    Semaphore,
    Wait,
    Call,
    Return,
    Assert,
    Print,
    Forbidden,
}

impl Generator {
    pub fn statements(&mut self, context: &mut Context, count: usize) {
        for _ in 0..count {
            if self.actions > 0 {
                self.statement(context);
            }
        }
    }

    fn statement(&mut self, context: &mut Context) {
        let profile = self.profile;
        let isolated = context.is_isolated();
        let once = self.repeat == 1 && self.conditional == 0;
        let room = context.depth < 4 && self.indent < 7;
        let when = |condition: bool, weight: u32| if condition { weight } else { 0 };
        let spawn = !isolated && self.tasks >= self.repeat && room;
        let eager = if context.depth == 0 { 2 } else { 1 };
        // Accesses before the first task is started cannot race.
        let alone = context.depth == 0 && !self.started;
        let kinds = [
            (if alone { 4 } else { 14 }, Kind::Write),
            (if alone { 2 } else { 7 }, Kind::Let),
            (2, Kind::AssignLocal),
            (when(room, if alone { 2 } else { 8 }), Kind::If),
            (when(room && self.repeat == 1 && !alone, 2), Kind::For),
            (when(room && self.repeat == 1 && !alone, 2), Kind::While),
            (when(spawn, 11 * eager), Kind::Async),
            (when(spawn && self.tasks > self.repeat && self.repeat == 1, 3 * eager), Kind::Loop),
            (when(spawn, 7 * eager), Kind::Finish),
            (when(spawn && profile.has_futures(), 12 * eager), Kind::Future),
            (when(!isolated && (profile.has_futures() || profile.has_promises()), 10), Kind::Get),
            (when(once && profile.has_promises() && !context.duties.is_empty(), 9), Kind::Set),
            (when(once && profile.has_promises() && room && !isolated, 2), Kind::NewPromise),
            (when(profile.has_isolated() && room && !isolated && !alone, 22), Kind::Isolated),
            (when(profile.has_isolated() && room && isolated, 1), Kind::Isolated),
            (when(profile.has_locks() && room && !isolated && !alone, 20), Kind::With),
            (when(profile.has_semaphores() && once && !isolated, 6), Kind::Semaphore),
            (when(profile.has_semaphores() && !isolated, 6), Kind::Wait),
            (3, Kind::Call),
            (2, Kind::Return),
            (1, Kind::Assert),
            (1, Kind::Print),
            (when(isolated && self.rng.percent(3), 2), Kind::Forbidden),
        ];
        match self.rng.weighted(&kinds).expect("some weights are positive") {
            Kind::Write => self.write(context),
            Kind::Let => {
                let value = self.read(context).unwrap_or_else(|| self.expr(context));
                self.bind(context, &value);
            }
            Kind::AssignLocal => {
                if let Some(local) = self.local(context) {
                    let value = self.expr(context);
                    self.line(&format!("{local} = {value};"));
                }
            }
            Kind::If => self.if_stmt(context),
            Kind::For => {
                let var = self.fresh("i");
                self.line(&format!("for {var} in 0..2 {{"));
                self.repeat *= 2;
                self.branch(context, Some(var), 1);
                self.repeat /= 2;
                self.line("}");
            }
            Kind::While => self.while_stmt(context),
            Kind::Async => self.async_stmt(context),
            Kind::Loop => self.parallel_loop(context),
            Kind::Finish => self.finish_stmt(context),
            Kind::Future => self.future_stmt(context),
            Kind::Get => {
                if let Some(value) = self.get(context) {
                    if self.rng.percent(60) {
                        self.bind(context, &value);
                    } else {
                        self.line(&format!("{value};"));
                    }
                }
            }
            Kind::Set => self.set_stmt(context),
            Kind::NewPromise => self.new_promise(context),
            Kind::Isolated => self.section(context, "isolated", Protection::Isolated),
            Kind::With => self.with_stmt(context),
            Kind::Semaphore => self.semaphore(context),
            Kind::Wait => {
                if let Some(signal) = self.choose_get(context, true) {
                    self.line("wait(e);");
                    self.note_got(context, signal);
                }
            }
            Kind::Call => self.call_stmt(context),
            Kind::Return => self.return_stmt(context),
            Kind::Assert => {
                if let Some(value) = self.read(context) {
                    self.line(&format!("assert({value} < 3);"));
                }
            }
            Kind::Print => {
                let value = self.expr(context);
                self.line(&format!("print({value});"));
            }
            Kind::Forbidden => self.line("finish { skip; }"),
        }
    }

    fn bind(&mut self, context: &mut Context, value: &str) {
        let name = self.fresh("t");
        self.line(&format!("let {name} = {value};"));
        context.locals.push((name, Local::Int));
    }

    pub fn write(&mut self, context: &mut Context) {
        let Some(var) = self.choose_var(context, true, None) else { return };
        let place = self.place(context, var);
        let value = self.expr(context);
        self.actions -= self.repeat;
        self.line(&format!("{place} = {value};"));
    }

    /// The statements of a branch or a loop body. What it gains is not sure to be gained.
    fn branch(&mut self, context: &mut Context, var: Option<String>, count: usize) {
        let before = context.clone();
        self.conditional += 1;
        self.indent += 1;
        if let Some(var) = var {
            context.locals.push((var, Local::Int));
        }
        self.statements(context, count);
        if self.lines.last().is_some_and(|line| line.trim_end().ends_with('{')) {
            self.line("skip;");
        }
        self.indent -= 1;
        self.conditional -= 1;
        context.locals = before.locals;
        context.got = before.got;
        context.tokens.retain(|token| before.tokens.contains(token));
    }

    fn if_stmt(&mut self, context: &mut Context) {
        let condition = self.condition(context);
        self.line(&format!("if ({condition}) {{"));
        let count = self.rng.range(1, 3);
        self.branch(context, None, count);
        if self.rng.percent(30) {
            self.line("} else {");
            self.branch(context, None, 1);
        }
        self.line("}");
    }

    /// A loop that waits a while for a shared value.
    fn while_stmt(&mut self, context: &mut Context) {
        let counter = self.fresh("n");
        self.line(&format!("let {counter} = 0;"));
        self.repeat *= 2;
        let condition = self.condition(context);
        self.line(&format!("while ({counter} < 2 && ({condition})) {{"));
        self.indent += 1;
        self.line(&format!("{counter} = {counter} + 1;"));
        self.indent -= 1;
        let count = self.rng.range(0, 2);
        self.branch(context, None, count);
        self.repeat /= 2;
        self.line("}");
        context.locals.push((counter, Local::Int));
    }

    fn section(&mut self, context: &mut Context, opening: &str, protection: Protection) {
        self.line(&format!("{opening} {{"));
        self.indent += 1;
        let locals = context.locals.len();
        context.inside.push(protection);
        let count = self.rng.range(1, 3);
        // Not conditional: what happens in the section is sure to happen.
        self.statements(context, count);
        if self.lines.last().is_some_and(|line| line.trim_end().ends_with('{')) {
            self.write_or_skip(context);
        }
        context.inside.pop();
        self.discharge_leaving(context, locals);
        context.locals.truncate(locals);
        self.indent -= 1;
        self.line("}");
    }

    fn write_or_skip(&mut self, context: &mut Context) {
        let lines = self.lines.len();
        self.write(context);
        if self.lines.len() == lines {
            self.line("skip;");
        }
    }

    fn with_stmt(&mut self, context: &mut Context) {
        let held = |name| context.inside.contains(&Protection::Lock(name));
        let lock = match (held("l"), held("m")) {
            (false, false) => {
                if self.rng.percent(65) {
                    "l"
                } else {
                    "m"
                }
            }
            (true, false) => "m",
            (false, true) if self.rng.percent(40) => "l",
            _ if self.rng.percent(5) => "l",
            _ => return self.write(context),
        };
        self.section(context, &format!("with {lock}"), Protection::Lock(lock));
    }

    fn semaphore(&mut self, context: &mut Context) {
        if context.inside.contains(&Protection::Semaphore) {
            return self.write(context);
        }
        if self.rng.percent(6) {
            let lone = if self.rng.percent(70) { "V(s);" } else { "P(s);" };
            return self.line(lone);
        }
        self.line("P(s);");
        context.inside.push(Protection::Semaphore);
        let count = self.rng.range(1, 3);
        self.statements(context, count);
        context.inside.pop();
        self.line("V(s);");
    }

    fn return_stmt(&mut self, context: &mut Context) {
        let forgets = !context.duties.is_empty() || context.inside.contains(&Protection::Semaphore);
        if forgets && !self.rng.percent(4) {
            return self.write(context);
        }
        let condition = self.condition(context);
        self.line(&format!("if ({condition}) {{"));
        self.indent += 1;
        if context.is_proc || self.rng.percent(50) {
            let value = self.expr(context);
            self.line(&format!("return {value};"));
        } else {
            self.line("return;");
        }
        self.indent -= 1;
        self.line("}");
    }

    fn set_stmt(&mut self, context: &mut Context) {
        let duties: Vec<usize> =
            context.duties.iter().copied().filter(|&s| self.signal_visible(context, s)).collect();
        if let Some(&signal) = self.rng.pick(&duties) {
            self.set(context, signal);
        }
    }

    /// Sets `signal`, nearly always exactly once.
    pub fn set(&mut self, context: &mut Context, signal: usize) {
        let text = match self.signals[signal].kind.clone() {
            SignalKind::Event(name) => {
                self.line(&format!("post({name});"));
                return self.note_set(context, signal);
            }
            SignalKind::Local(name) => name,
            SignalKind::Cell(cell) => {
                self.actions -= 1;
                format!("ps[{cell}]")
            }
        };
        // What is written just before the set is what is read after the get.
        if self.rng.percent(40) && self.actions > 0 {
            let via = (0..self.vars.len()).find(|&var| self.vars[var].guard == Guard::Via(signal));
            if let Some(var) = via.filter(|&var| self.visible(context, var)) {
                let place = self.place(context, var);
                let value = self.rng.range(1, 4);
                self.actions -= 1;
                self.line(&format!("{place} = {value};"));
            }
        }
        match self.rng.range(0, 100) {
            0..70 => {
                let value = self.expr(context);
                self.line(&format!("{text}.set({value});"));
            }
            70..75 => self.line(&format!("{text}.set();")),
            75..96 => {
                let condition = self.condition(context);
                self.line(&format!("if ({condition}) {{ {text}.set(1); }} else {{ {text}.set(2); }}"));
            }
            96..98 => {
                let condition = self.condition(context);
                self.line(&format!("if ({condition}) {{ {text}.set(1); }}"));
            }
            _ => {
                self.line(&format!("{text}.set(1);"));
                self.line(&format!("{text}.set(2);"));
            }
        }
        self.note_set(context, signal);
    }

    /// Sets what this task still has to set.
    pub fn discharge_all(&mut self, context: &mut Context) {
        for signal in context.duties.clone() {
            if self.rng.percent(98) {
                self.set(context, signal);
            }
        }
    }

    /// Sets what nobody can set once the locals from `locals` on are out of scope.
    pub fn discharge_leaving(&mut self, context: &mut Context, locals: usize) {
        for signal in context.duties.clone() {
            let SignalKind::Local(name) = &self.signals[signal].kind else { continue };
            if context.locals[locals..].iter().any(|(local, _)| local == name) {
                self.set(context, signal);
            }
        }
    }
}
