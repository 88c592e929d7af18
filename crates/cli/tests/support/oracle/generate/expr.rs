//! Expressions. Values stay small, so that different schedules often meet in the same state.

use super::Generator;
use super::ownership::{Context, Local};

#[derive(Clone, Copy)]
enum Shape {
    Constant,
    Local,
    Read,
    Sum,
    Get,
    Pick,
    Quotient,
    Length,
}

impl Generator {
    pub fn expr(&mut self, context: &mut Context) -> String {
        let shape = self.rng.weighted(&[
            (40, Shape::Constant),
            (25, Shape::Local),
            (22, Shape::Read),
            (9, Shape::Sum),
            (if context.is_isolated() { 0 } else { 8 }, Shape::Get),
            (3, Shape::Pick),
            (1, Shape::Quotient),
            (1, Shape::Length),
        ]);
        let text = match shape.expect("some weights are positive") {
            Shape::Constant => None,
            Shape::Local => self.local(context),
            Shape::Read => self.read(context),
            Shape::Sum => self.read(context).map(|left| {
                let right = self.rng.range(1, 3);
                if self.rng.percent(85) { format!("{left} + {right}") } else { format!("1 - {left}") }
            }),
            Shape::Get => self.get(context),
            Shape::Pick => {
                let operand = self.read(context).or_else(|| self.local(context));
                operand.and_then(|operand| self.pure_call(&operand))
            }
            Shape::Quotient => self.read(context).map(|divisor| format!("4 / {divisor}")),
            Shape::Length => {
                let array = self.vars.iter().find(|var| var.len.is_some() && !var.is_local);
                array.map(|var| format!("len({})", var.name))
            }
        };
        text.unwrap_or_else(|| self.rng.range(0, 4).to_string())
    }

    pub fn local(&mut self, context: &Context) -> Option<String> {
        self.rng.pick(&context.locals_of(Local::Int)).cloned()
    }

    /// A read of a shared cell.
    pub fn read(&mut self, context: &Context) -> Option<String> {
        let var = self.choose_var(context, false, None)?;
        self.actions -= self.repeat;
        Some(self.place(context, var))
    }

    /// The text of a cell of `var`.
    pub fn place(&mut self, context: &Context, var: usize) -> String {
        let name = self.vars[var].name.clone();
        let Some(len) = self.vars[var].len else { return name };
        let index = match self.rng.range(0, 100) {
            0..60 => self.rng.range(0, len).to_string(),
            60..90 => match self.local(context) {
                Some(local) if self.rng.percent(90) => format!("{local} % {len}"),
                Some(local) => local,
                None => "0".to_string(),
            },
            90..98 => match self.choose_var(context, false, Some(false)) {
                Some(scalar) => {
                    self.actions -= self.repeat;
                    format!("{} % {len}", self.vars[scalar].name)
                }
                None => "1".to_string(),
            },
            _ => self.rng.range(0, len + 1).to_string(),
        };
        format!("{name}[{index}]")
    }

    /// The value of a promise or a future.
    pub fn get(&mut self, context: &mut Context) -> Option<String> {
        let futures: Vec<(String, usize)> = context
            .locals
            .iter()
            .filter_map(|(name, local)| match local {
                Local::Future(future) => Some((name.clone(), *future)),
                _ => None,
            })
            .collect();
        if !futures.is_empty() && self.rng.percent(60) {
            let (name, future) = self.rng.pick(&futures).cloned()?;
            let tokens = std::mem::take(&mut self.futures[future]);
            context.tokens.extend(tokens);
            return Some(format!("{name}.get()"));
        }
        let signal = self.choose_get(context, false)?;
        let text = self.promise_text(signal)?;
        if text.starts_with("ps") {
            self.actions -= self.repeat;
        }
        self.note_got(context, signal);
        Some(format!("{text}.get()"))
    }

    pub fn condition(&mut self, context: &mut Context) -> String {
        let operand = match self.rng.range(0, 100) {
            0..65 => self.read(context),
            65..80 if !context.is_isolated() => self.get(context),
            _ => self.local(context),
        };
        let operand = operand.or_else(|| self.local(context)).or_else(|| self.read(context));
        let Some(operand) = operand else { return "1 == 1".to_string() };
        let value = self.rng.range(0, 3);
        let simple = match self.rng.range(0, 5) {
            0 | 1 => format!("{operand} == {value}"),
            2 => format!("{operand} < {}", value + 1),
            3 => format!("!{operand}"),
            _ => format!("{operand} != {value}"),
        };
        if self.actions > 2
            && self.rng.percent(12)
            && let Some(second) = self.read(context)
        {
            let op = if self.rng.percent(50) { "&&" } else { "||" };
            return format!("{simple} {op} {second} == 1");
        }
        simple
    }
}
