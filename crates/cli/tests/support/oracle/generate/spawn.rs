//! Statements that start tasks or wait for them.

use super::Generator;
use super::ownership::{Context, Local};

impl Generator {
    /// The context of a child: some of the tokens and duties of its parent go over to it.
    fn child(&mut self, parent: &mut Context) -> Context {
        self.tasks -= self.repeat;
        self.started = true;
        let mut child = Context {
            locals: parent.locals.clone(),
            got: parent.got.clone(),
            depth: parent.depth + 1,
            ..Context::empty()
        };
        // In a branch or a loop nobody knows how many children there are.
        if self.conditional == 0 && self.repeat == 1 {
            (child.tokens, parent.tokens) = self.divide(&parent.tokens, 50);
            (child.duties, parent.duties) = self.divide(&parent.duties, 50);
        }
        child
    }

    fn divide(&mut self, items: &[usize], chance: u32) -> (Vec<usize>, Vec<usize>) {
        items.iter().partition(|_| self.rng.percent(chance))
    }

    /// The body of a task, between the braces; `last` may add a line.
    fn body(&mut self, child: &mut Context, count: usize, last: impl FnOnce(&mut Self, &mut Context)) {
        let conditional = std::mem::replace(&mut self.conditional, u32::from(self.repeat > 1));
        self.indent += 1;
        self.statements(child, count);
        self.discharge_all(child);
        last(self, child);
        if self.lines.last().is_some_and(|line| line.trim_end().ends_with('{')) {
            self.line("skip;");
        }
        self.indent -= 1;
        self.conditional = conditional;
    }

    pub fn async_stmt(&mut self, context: &mut Context) {
        if self.rng.percent(10) && self.async_call(context) {
            return;
        }
        let mut child = self.child(context);
        let mut opening = "async {".to_string();
        if self.profile.has_promises() && self.rng.percent(18) {
            let mut operands = Vec::new();
            let count = self.rng.range(1, 3);
            for _ in 0..count {
                if let Some(operand) = self.awaited(&mut child) {
                    operands.push(operand);
                }
            }
            if !operands.is_empty() {
                opening = format!("async await({}) {{", operands.join(", "));
            }
        }
        self.line(&opening);
        let count = self.rng.range(1, 4);
        self.body(&mut child, count, |_, _| {});
        self.line("}");
        self.give_up(child);
    }

    fn awaited(&mut self, child: &mut Context) -> Option<String> {
        let signal = self.choose_get(child, false)?;
        let text = self.promise_text(signal)?;
        if text.starts_with("ps") {
            self.actions -= 1;
        }
        self.note_got(child, signal);
        Some(text)
    }

    pub fn future_stmt(&mut self, context: &mut Context) {
        let mut child = self.child(context);
        let name = self.fresh("f");
        self.line(&format!("let {name} = future {{"));
        let count = self.rng.range(1, 3);
        self.body(&mut child, count, |this, child| {
            if this.rng.percent(75) {
                let value = this.expr(child);
                this.line(&format!("return {value};"));
            }
        });
        self.line("};");
        // The tokens come back with the value, or at the end of the finish; once is enough.
        let future = self.futures.len();
        self.futures.push(Vec::new());
        if self.rng.percent(70) {
            self.futures[future] = std::mem::take(&mut child.tokens);
        }
        self.give_up(child);
        context.locals.push((name, Local::Future(future)));
    }

    pub fn finish_stmt(&mut self, context: &mut Context) {
        self.line("finish {");
        self.indent += 1;
        self.finishes.push(Vec::new());
        let locals = context.locals.len();
        // A child that waits for what its parent sets only after the finish waits for ever.
        let sets_inside = self.conditional == 0 && self.repeat == 1 && self.rng.percent(85);
        let barred = self.barred.len();
        if !sets_inside {
            self.barred.extend(&context.duties);
        }
        self.async_stmt(context);
        if self.tasks >= self.repeat && self.rng.percent(50) {
            self.async_stmt(context);
        }
        let count = self.rng.range(1, 4);
        self.statements(context, count);
        if sets_inside {
            self.discharge_all(context);
        }
        self.barred.truncate(barred);
        self.discharge_leaving(context, locals);
        context.locals.truncate(locals);
        self.indent -= 1;
        self.line("}");
        let returned = self.finishes.pop().expect("pushed above");
        context.tokens.extend(returned);
    }

    /// `forall` or `forasync` with two rounds.
    pub fn parallel_loop(&mut self, context: &mut Context) {
        let var = self.fresh("i");
        let joins = self.rng.percent(65);
        let word = if joins { "forall" } else { "forasync" };
        self.line(&format!("{word} {var} in 0..2 {{"));
        if joins {
            self.finishes.push(Vec::new());
        }
        self.repeat *= 2;
        let own_array = (0..self.vars.len())
            .find(|&v| self.vars[v].len.is_some() && self.visible(context, v) && context.tokens.contains(&v));
        let mut child = self.child(context);
        child.locals.push((var.clone(), Local::Int));
        let by_index = own_array.filter(|_| self.rng.percent(70));
        if let Some(array) = by_index {
            let value = self.expr(&mut child);
            self.indent += 1;
            let name = self.vars[array].name.clone();
            self.line(&format!("{name}[{var}] = {value};"));
            self.actions -= self.repeat;
            self.indent -= 1;
        }
        let count = usize::from(by_index.is_none() || self.rng.percent(40));
        self.body(&mut child, count, |_, _| {});
        self.repeat /= 2;
        if joins {
            self.finishes.pop();
        } else if let Some(array) = by_index {
            // Nobody waits for the rounds, so the array is theirs from now on.
            context.tokens.retain(|token| *token != array);
        }
        self.line("}");
    }
}
