//! Helper procs that the generated statements call.

use super::Generator;
use super::ownership::{Context, Protection};

#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Helper {
    /// No shared data at all.
    Pick,
    /// Writes an element of the array it is given.
    Put,
    /// Increments a variable under `isolated` and returns from inside.
    Bump,
    /// Starts a task for every level of its recursion.
    Tree,
    /// Leaves a finish with an early return.
    Early,
    /// Sets, or gets, the promise it is given.
    Give,
    Take,
}

impl Generator {
    pub fn choose_helpers(&mut self) {
        let profile = self.profile;
        let when = |yes: bool, chance: u32| if yes { chance } else { 0 };
        for (chance, helper) in [
            (40, Helper::Pick),
            (when(self.vars.iter().any(|var| var.len.is_some()), 40), Helper::Put),
            (when(profile.has_isolated(), 40), Helper::Bump),
            (12, Helper::Tree),
            (25, Helper::Early),
            (when(profile.has_promises(), 30), Helper::Give),
            (when(profile.has_promises(), 30), Helper::Take),
        ] {
            if self.rng.percent(chance) {
                self.procs.push(helper);
            }
        }
    }

    pub fn helper_texts(&self) -> Vec<String> {
        let x = &self.vars[0].name;
        let last = &self.vars.iter().rfind(|var| var.len.is_none()).expect("x is a scalar").name;
        let text = |helper: &Helper| match helper {
            Helper::Pick => "proc pick(c) {\n  if (c > 1) { return 0; }\n  return c + 1;\n}".to_string(),
            Helper::Put => "proc put(b, i, v) {\n  b[i % len(b)] = v;\n}".to_string(),
            Helper::Bump => format!(
                "proc bump(v) {{\n  isolated {{\n    if ({last} > 1) {{ return 0; }}\n    {last} = {last} + v;\n    return 1;\n  }}\n}}"
            ),
            Helper::Tree => format!(
                "proc tree(d) {{\n  if (d > 0) {{\n    async tree(d - 1);\n    let t = {x};\n  }} else {{\n    {last} = 1;\n  }}\n}}"
            ),
            Helper::Early => format!(
                "proc early(v) {{\n  finish {{\n    async {{ {x} = v; }}\n    if (v > 1) {{ return v; }}\n  }}\n  return {x};\n}}"
            ),
            Helper::Give => "proc give(p, v) {\n  p.set(v);\n}".to_string(),
            Helper::Take => "proc take(p) {\n  return p.get();\n}".to_string(),
        };
        self.procs.iter().map(text).collect()
    }

    fn has(&self, helper: Helper) -> bool {
        self.procs.contains(&helper)
    }

    pub fn pure_call(&mut self, operand: &str) -> Option<String> {
        self.has(Helper::Pick).then(|| format!("pick({operand})"))
    }

    pub fn call_stmt(&mut self, context: &mut Context) {
        let Some(&helper) = self.rng.pick(&self.procs) else { return self.write(context) };
        let isolated = context.is_isolated();
        let accessible = |this: &Self, var: usize| this.noise > 0 || this.allows(context, var, true);
        let x = 0;
        let last = self.vars.iter().rposition(|var| var.len.is_none()).expect("x is a scalar");
        match helper {
            Helper::Put => {
                if let Some(array) = self.choose_var(context, true, Some(true)) {
                    self.actions -= self.repeat;
                    let index = self.local(context).unwrap_or_else(|| "1".to_string());
                    let name = self.vars[array].name.clone();
                    self.line(&format!("put({name}, {index}, 2);"));
                }
            }
            Helper::Bump => {
                let mut inside = context.clone();
                inside.inside.push(Protection::Isolated);
                if self.noise > 0 || self.allows(&inside, last, true) {
                    self.actions -= 3 * self.repeat;
                    self.line("bump(1);");
                }
            }
            Helper::Early if !isolated && self.tasks >= self.repeat && accessible(self, x) => {
                self.tasks -= self.repeat;
                self.actions -= 2 * self.repeat;
                let value = self.rng.range(0, 4);
                self.line(&format!("early({value});"));
            }
            Helper::Tree if !isolated && self.tasks >= 2 && self.repeat == 1 && accessible(self, last) => {
                self.tasks -= 2;
                self.actions -= 3;
                self.line("tree(2);");
            }
            Helper::Take if !isolated => {
                if let Some(signal) = self.choose_get(context, false) {
                    let text = self.promise_text(signal).expect("no event was asked for");
                    self.line(&format!("take({text});"));
                    self.note_got(context, signal);
                }
            }
            Helper::Give if self.conditional == 0 && self.repeat == 1 => {
                let promises: Vec<(usize, String)> = context
                    .duties
                    .iter()
                    .filter(|&&s| self.signal_visible(context, s))
                    .filter_map(|&s| self.promise_text(s).map(|text| (s, text)))
                    .collect();
                if let Some((signal, text)) = self.rng.pick(&promises).cloned() {
                    self.line(&format!("give({text}, 1);"));
                    self.note_set(context, signal);
                }
            }
            _ => self.write(context),
        }
    }

    /// `async put(a, 1, 2);` and the like.
    pub fn async_call(&mut self, context: &mut Context) -> bool {
        if !self.has(Helper::Put) {
            return false;
        }
        let Some(array) = self.choose_var(context, true, Some(true)) else { return false };
        self.tasks -= self.repeat;
        self.actions -= self.repeat;
        let name = self.vars[array].name.clone();
        let value = self.expr(context);
        self.line(&format!("async put({name}, 0, {value});"));
        // The parent should leave the array alone until the next finish.
        if context.tokens.contains(&array) {
            context.tokens.retain(|token| *token != array);
            if let Some(finish) = self.finishes.last_mut() {
                finish.push(array);
            }
        }
        true
    }
}
