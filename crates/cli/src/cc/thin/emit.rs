//! What is written in place of checks that have left their loops.

use super::after::{Span, Told};
use super::counts::{Count, Relation};
use super::flow::Flow;
use super::ir::{Check, Function};
use super::poly::{Atom, Poly};
use super::runs::Run;
use super::values::{Taken, Values, Width};
use rustc_hash::FxHashMap;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

/// What is to be done with the lines of a module.
#[derive(Default)]
pub(super) struct Edits {
    /// New texts of lines; those without one go.
    pub(super) lines: BTreeMap<usize, Option<String>>,
    /// What is put before a line.
    pub(super) before: BTreeMap<usize, String>,
    /// Names that were given.
    names: usize,
}

impl Edits {
    /// None yet, to a text in which names may have been given before.
    pub(super) fn after(text: &str) -> Edits {
        Edits { names: text.matches("%rp.").count(), ..Edits::default() }
    }

    /// Makes the runs before their loops and the spans after them, and removes the checks they stand for.
    pub(super) fn apply(
        &mut self,
        module: &[&str],
        function: &Function,
        flow: &Flow,
        values: &Values,
        runs: &[Run],
        spans: &[Span],
    ) {
        // What is done on the way from a block to another.
        let mut ways: BTreeMap<(usize, usize), String> = BTreeMap::new();
        let told = |span: &Span| span.told.iter().map(|told| (told.from, told.to)).collect::<Vec<_>>();
        let edges: BTreeSet<(usize, usize)> = spans.iter().flat_map(told).collect();
        for edge in edges {
            let mut writer = Writer::new(self, values);
            for span in spans {
                let told = span.told.iter().filter(|told| (told.from, told.to) == edge);
                told.for_each(|told| writer.span(span, told));
            }
            ways.insert(edge, writer.text);
        }
        self.lines.extend(spans.iter().map(|span| (span.line, None)));
        for (number, found) in flow.loops.iter().enumerate() {
            let mine: Vec<&Run> = runs.iter().filter(|run| run.before == Some(number)).collect();
            if mine.is_empty() {
                continue;
            }
            let mut writer = Writer::new(self, values);
            mine.iter().for_each(|run| writer.run(run));
            ways.entry((found.before, found.head)).or_default().push_str(&writer.text);
            self.lines.extend(mine.iter().flat_map(|run| &run.lines).map(|line| (*line, None)));
        }
        for ((from, to), text) in ways {
            let (from, to) = (&function.blocks[from], &function.blocks[to]);
            let Some(last) = from.instructions.last() else { continue };
            if from.successors.len() == 1 {
                self.before.entry(last.line).or_default().push_str(&text);
                continue;
            }
            // A block of its own on the way.
            let block = format!("rp.b{}", self.name());
            let put = self.before.entry(to.label).or_default();
            put.push_str(&format!("{block}:\n{text}  br label %{}\n\n", to.name));
            self.replace(module, last.line, &format!("label %{}", to.name), &format!("label %{block}"));
            for instruction in to.instructions.iter().take_while(|instruction| instruction.is_phi()) {
                self.replace(
                    module,
                    instruction.line,
                    &format!(", %{} ]", from.name),
                    &format!(", %{block} ]"),
                );
            }
        }
    }

    fn name(&mut self) -> usize {
        self.names += 1;
        self.names
    }

    /// Replaces a text that is not the beginning of a longer name.
    fn replace(&mut self, module: &[&str], line: usize, old: &str, new: &str) {
        let text = match self.lines.get(&line) {
            Some(Some(text)) => text.clone(),
            _ => module[line].to_owned(),
        };
        let continues = |c: char| c.is_ascii_alphanumeric() || "-$._".contains(c);
        let found = text
            .match_indices(old)
            .find(|(at, _)| old.ends_with(']') || !text[at + old.len()..].starts_with(continues));
        if let Some((at, _)) = found {
            self.lines.insert(line, Some(format!("{}{new}{}", &text[..at], &text[at + old.len()..])));
        }
    }
}

/// Instructions, one a line.
struct Writer<'a, 'f, 'e> {
    edits: &'e mut Edits,
    values: &'e Values<'a, 'f>,
    text: String,
    /// What stands for an atom in 64 bits, or in its own.
    known: FxHashMap<(Atom, u32), String>,
}

impl<'a, 'f, 'e> Writer<'a, 'f, 'e> {
    fn new(edits: &'e mut Edits, values: &'e Values<'a, 'f>) -> Self {
        Writer { edits, values, text: String::new(), known: FxHashMap::default() }
    }

    fn put(&mut self, instruction: &str) -> String {
        let name = format!("%rp.{}", self.edits.name());
        let _ = writeln!(self.text, "  {name} = {instruction}");
        name
    }

    fn run(&mut self, run: &Run) {
        let first = self.poly(&run.first);
        let (kind, size, rest) = (run.check.kind.word(), run.check.size, run.check.rest);
        if run.dimensions.is_empty() {
            let address = self.put(&format!("inttoptr i64 {first} to ptr"));
            let _ = writeln!(self.text, "  call void {}(ptr {address}){rest}", run.check.callee);
            return;
        }
        let mut arguments = format!("i64 {first}, i64 {size}");
        for dimension in &run.dimensions {
            let (count, stride) = (self.count(&dimension.count), self.poly(&dimension.stride));
            let _ = write!(arguments, ", i64 {count}, i64 {stride}");
        }
        let shape = if run.dimensions.len() == 1 { "run" } else { "runs" };
        let _ = writeln!(self.text, "  call void @__raceproof_{kind}_{shape}({arguments}){rest}");
    }

    fn span(&mut self, span: &Span, told: &Told) {
        let (low, high) = (self.poly(&told.low), self.poly(&told.high));
        let Check { kind, size, rest, .. } = span.check;
        let kind = kind.word();
        if span.stride == i64::from(size) {
            let _ = writeln!(
                self.text,
                "  call void @__raceproof_{kind}_span(i64 {low}, i64 {high}, i64 {size}){rest}"
            );
            return;
        }
        let bytes = self.put(&format!("sub i64 {high}, {low}"));
        let stride = span.stride;
        let count = self.put(&format!("sdiv i64 {bytes}, {stride}"));
        let _ = writeln!(
            self.text,
            "  call void @__raceproof_{kind}_run(i64 {low}, i64 {size}, i64 {count}, i64 {stride}){rest}"
        );
    }

    fn atom(&mut self, atom: Atom, bits: u32) -> String {
        if let Some(known) = self.known.get(&(atom, bits)) {
            return known.clone();
        }
        let opaque = self.values.opaque(atom);
        let text = opaque.text;
        let name = match (opaque.taken, opaque.width) {
            (Taken::Whole, Width::Pointer) => self.put(&format!("ptrtoint ptr {text} to i64")),
            (Taken::Whole, Width::Bits(_)) => text.to_owned(),
            (taken, width) => {
                let how = if taken == Taken::Signed { "sext" } else { "zext" };
                self.put(&format!("{how} i{} {text} to i64", width.bits()))
            }
        };
        self.known.insert((atom, bits), name.clone());
        name
    }

    fn poly(&mut self, poly: &Poly) -> String {
        if let Some(constant) = poly.as_constant() {
            return constant.to_string();
        }
        let bits = poly.bits();
        let mut sum: Option<String> = None;
        for (atoms, factor) in poly.terms() {
            let mut product: Option<String> = None;
            for &atom in atoms {
                let atom = self.atom(atom, bits);
                product = Some(match product {
                    None => atom,
                    Some(product) => self.put(&format!("mul i{bits} {product}, {atom}")),
                });
            }
            let term = match product {
                None => factor.to_string(),
                Some(product) if factor == 1 => product,
                Some(product) => self.put(&format!("mul i{bits} {product}, {factor}")),
            };
            sum = Some(match sum {
                None => term,
                Some(sum) => self.put(&format!("add i{bits} {sum}, {term}")),
            });
        }
        sum.unwrap_or_else(|| "0".to_owned())
    }

    /// How often the loop runs, in 64 bits.
    fn count(&mut self, count: &Count) -> String {
        let bits = count.start.bits();
        let (low, high) =
            if count.step > 0 { (&count.start, &count.limit) } else { (&count.limit, &count.start) };
        let step = count.step.unsigned_abs();
        // The distance may have become too large to be written as one polynomial.
        let distance = match high.minus(low) {
            Some(distance) => self.poly(&distance),
            None => {
                let (high, low) = (self.poly(high), self.poly(low));
                self.put(&format!("sub i{bits} {high}, {low}"))
            }
        };
        let divided = |this: &mut Self, value: String| {
            if step == 1 { value } else { this.put(&format!("udiv i{bits} {value}, {step}")) }
        };
        let more = match count.relation {
            Relation::Differs => divided(self, distance),
            Relation::Below { signed, with } | Relation::Above { signed, with } => {
                let (low, high) = (self.poly(low), self.poly(high));
                let order = match (signed, with) {
                    (true, false) => "slt",
                    (true, true) => "sle",
                    (false, false) => "ult",
                    (false, true) => "ule",
                };
                let any = self.put(&format!("icmp {order} i{bits} {low}, {high}"));
                let last = if with { distance } else { self.put(&format!("sub i{bits} {distance}, 1")) };
                let last = divided(self, last);
                let all = self.put(&format!("add i{bits} {last}, 1"));
                self.put(&format!("select i1 {any}, i{bits} {all}, i{bits} 0"))
            }
        };
        let more = if bits == 64 { more } else { self.put(&format!("zext i{bits} {more} to i64")) };
        let all = self.put(&format!("add i64 {more}, 1"));
        if count.times == 1 { all } else { self.put(&format!("mul i64 {all}, {}", count.times)) }
    }
}
