//! Textual LLVM IR, read line by line: functions, blocks, instructions.
//!
//! Only what the analysis asks for is taken apart; any other instruction is [`What::Other`]. A function that is written in a way
//! this reader does not know is not read at all, and stays as it is.

use super::values::Width;
use rustc_hash::FxHashMap;

pub(super) struct Function<'a> {
    pub(super) name: &'a str,
    /// What stands before the name: linkage, attributes, type.
    pub(super) head: &'a str,
    /// What stands behind it: parameters, attributes.
    pub(super) rest: &'a str,
    pub(super) blocks: Vec<Block<'a>>,
}

impl<'a> Function<'a> {
    /// The checks of a block that may move, but for those of the lines that are `gone`: their lines too.
    pub(super) fn movable(&self, block: usize, gone: &[usize]) -> impl Iterator<Item = (usize, Check<'a>)> {
        self.blocks[block].instructions.iter().filter_map(|instruction| match instruction.what {
            What::Check(check) if !check.fixed && !gone.contains(&instruction.line) => {
                Some((instruction.line, check))
            }
            _ => None,
        })
    }
}

pub(super) struct Block<'a> {
    pub(super) name: &'a str,
    /// The line of its label; the first block may have none.
    pub(super) label: usize,
    pub(super) instructions: Vec<Instruction<'a>>,
    pub(super) successors: Vec<usize>,
}

pub(super) struct Instruction<'a> {
    /// Where it begins.
    pub(super) line: usize,
    pub(super) result: Option<&'a str>,
    pub(super) what: What<'a>,
}

impl Instruction<'_> {
    pub(super) fn is_phi(&self) -> bool {
        matches!(self.what, What::Phi { .. })
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) enum Kind {
    Read,
    Write,
}

/// A call of `__tsan_readN` or `__tsan_writeN`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Check<'a> {
    pub(super) kind: Kind,
    pub(super) size: u32,
    pub(super) callee: &'a str,
    pub(super) address: &'a str,
    /// What is after the arguments: `, !dbg !7`.
    pub(super) rest: &'a str,
    /// It is not to be touched: its access is volatile, or was not found.
    pub(super) fixed: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Operator {
    Add,
    Sub,
    Mul,
    Shl,
}

#[derive(Clone, Debug)]
pub(super) enum What<'a> {
    Check(Check<'a>),
    Call {
        callee: Option<&'a str>,
        text: &'a str,
    },
    /// The type, and values with the blocks they come from.
    Phi {
        kind: &'a str,
        from: Vec<(&'a str, &'a str)>,
    },
    Binary {
        operator: Operator,
        nuw: bool,
        nsw: bool,
        bits: u32,
        left: &'a str,
        right: &'a str,
    },
    Extend {
        signed: bool,
        from: u32,
        value: &'a str,
    },
    /// The element type, the base, and indices with the bits of their types.
    Offset {
        kind: &'a str,
        base: &'a str,
        indices: Vec<(u32, &'a str)>,
    },
    /// An address as a number or a number as an address.
    Same {
        value: &'a str,
        from: Width,
    },
    /// One of two values.
    Select {
        left: &'a str,
        right: &'a str,
    },
    /// Zero or one.
    Bit,
    Compare {
        relation: &'a str,
        kind: &'a str,
        left: &'a str,
        right: &'a str,
    },
    Branch {
        condition: &'a str,
    },
    /// A fence, an atomic access, inline assembly: may order tasks.
    Synchronising,
    Volatile,
    Other,
}

/// The functions that could be read, of a module that was split into lines.
pub(super) fn functions<'a>(lines: &[&'a str]) -> Vec<Function<'a>> {
    let mut found = Vec::new();
    let mut at = 0;
    while at < lines.len() {
        if !lines[at].starts_with("define ") {
            at += 1;
            continue;
        }
        let Some(length) = lines[at..].iter().position(|line| *line == "}") else { break };
        found.extend(function(lines, at..at + length + 1));
        at += length + 1;
    }
    found
}

/// The name of a definition or a declaration, with what is before and behind it.
pub(super) fn header(line: &str) -> Option<(&str, &str, &str)> {
    let at = line.find('@')?;
    let name = symbol(&line[at..])?;
    Some((&line[..at], name, &line[at + name.len()..]))
}

fn function<'a>(lines: &[&'a str], range: std::ops::Range<usize>) -> Option<Function<'a>> {
    let (head, name, rest) = header(lines[range.start])?;
    let mut blocks: Vec<Block<'a>> = Vec::new();
    let mut at = range.start + 1;
    let mut targets: Vec<Vec<&'a str>> = Vec::new();
    while at < range.end - 1 {
        let line = lines[at];
        if line.is_empty() || line.starts_with("    #dbg") || line.starts_with(';') {
            at += 1;
            continue;
        }
        if !line.starts_with(' ') {
            let (name, _) = line.split_once(':')?;
            blocks.push(Block { name, label: at, instructions: Vec::new(), successors: Vec::new() });
            targets.push(Vec::new());
            at += 1;
            continue;
        }
        if blocks.is_empty() {
            let name = entry_name(rest)?;
            blocks.push(Block { name, label: at, instructions: Vec::new(), successors: Vec::new() });
            targets.push(Vec::new());
        }
        // An instruction begins two spaces in; what goes on is further in, or closes a switch.
        let begins = |line: &str| line.starts_with("  ") && !line[2..].starts_with([' ', ']']);
        if !begins(line) {
            return None;
        }
        let start = at;
        at += 1;
        let goes_on = |line: &str| line.starts_with("  ") && !begins(line) && !line.starts_with("    #dbg");
        while at < range.end - 1 && goes_on(lines[at]) {
            at += 1;
        }
        let instruction = instruction(lines[start], start);
        if ends_block(lines[start]) {
            let labels = targets.last_mut()?;
            for line in &lines[start..at] {
                labels.extend(
                    line.match_indices("label %")
                        .filter_map(|(at, _)| local(&line[at + 6..]))
                        .map(|name| &name[1..]),
                );
            }
        }
        blocks.last_mut()?.instructions.push(instruction);
    }
    let numbers: FxHashMap<&str, usize> =
        blocks.iter().enumerate().map(|(at, block)| (block.name, at)).collect();
    if blocks.is_empty() || numbers.len() != blocks.len() {
        return None;
    }
    for (block, labels) in blocks.iter_mut().zip(targets) {
        for label in labels {
            let number = *numbers.get(label)?;
            if !block.successors.contains(&number) {
                block.successors.push(number);
            }
        }
    }
    for block in &mut blocks {
        mark_volatile(&mut block.instructions, lines);
    }
    Some(Function { name, head, rest, blocks })
}

/// A check stands right before its access, other checks between at most. One that does not is none of clang's.
fn mark_volatile(instructions: &mut [Instruction], lines: &[&str]) {
    for at in 0..instructions.len() {
        let next = instructions[at + 1..].iter().find(|next| !matches!(next.what, What::Check(_)));
        let is_plain = next.is_some_and(|next| {
            let (_, text) = result(lines[next.line]);
            matches!(next.what, What::Other) && (text.starts_with("load ") || text.starts_with("store "))
        });
        if let What::Check(check) = &mut instructions[at].what {
            check.fixed = !is_plain;
        }
    }
}

/// The first block may be without a label: it has the number after those of the parameters.
fn entry_name(parameters: &str) -> Option<&'static str> {
    const NAMES: [&str; 16] =
        ["0", "1", "2", "3", "4", "5", "6", "7", "8", "9", "10", "11", "12", "13", "14", "15"];
    let numbered = parameters
        .match_indices('%')
        .filter_map(|(at, _)| local(&parameters[at..])?[1..].parse::<usize>().ok());
    NAMES.get(numbered.max().map_or(0, |last| last + 1)).copied()
}

fn ends_block(line: &str) -> bool {
    let (_, body) = result(line);
    let first = body.split([' ', ',']).next().unwrap_or_default();
    matches!(
        first,
        "br" | "switch"
            | "ret"
            | "unreachable"
            | "invoke"
            | "resume"
            | "indirectbr"
            | "callbr"
            | "cleanupret"
            | "catchret"
            | "catchswitch"
    )
}

/// The name that an instruction gives its result, and the instruction.
pub(super) fn result(line: &str) -> (Option<&str>, &str) {
    let body = line.trim_start();
    match body.split_once(" = ") {
        Some((name, rest)) if local(name) == Some(name) => (Some(name), rest),
        _ => (None, body),
    }
}

fn instruction(line: &str, at: usize) -> Instruction<'_> {
    let (result, body) = result(line);
    Instruction { line: at, result, what: what(body).unwrap_or(What::Other) }
}

/// `None` for what is not of interest, or not understood: its result is then a value of its own.
fn what(body: &str) -> Option<What<'_>> {
    let (first, rest) = body.split_once(' ').unwrap_or((body, ""));
    let unattached = |text| cut(text, ", !");
    match first {
        "call" | "tail" | "musttail" | "notail" | "invoke" | "callbr" => Some(call(body)),
        "fence" | "atomicrmw" | "cmpxchg" => Some(What::Synchronising),
        "load" | "store" if rest.starts_with("atomic") => Some(What::Synchronising),
        "load" | "store" if rest.starts_with("volatile") => Some(What::Volatile),
        "phi" => Some(phi(unattached(rest)).unwrap_or(What::Phi { kind: "", from: Vec::new() })),
        "add" | "sub" | "mul" | "shl" | "or" => binary(first, unattached(rest)),
        "sext" | "zext" => {
            let nneg = rest.starts_with("nneg ");
            let (from, value, to) = conversion(unattached(rest.trim_start_matches("nneg ")))?;
            if (first, from) == ("zext", "i1") && to != "i64" {
                return Some(What::Bit);
            }
            (to == "i64").then_some(What::Extend {
                signed: first == "sext" || nneg,
                from: bits(from)?,
                value,
            })
        }
        "ptrtoint" | "inttoptr" => {
            let (from, value, to) = conversion(unattached(rest))?;
            matches!((from, to), ("ptr", "i64") | ("i64", "ptr"))
                .then_some(What::Same { value, from: Width::of(from)? })
        }
        "getelementptr" => offset(unattached(rest)),
        "select" => {
            let [_, left, right] = split(unattached(rest).strip_prefix("i1 ")?)[..] else { return None };
            let ((_, left), (_, right)) = (left.split_once(' ')?, right.split_once(' ')?);
            Some(What::Select { left, right })
        }
        "icmp" => {
            let rest = unattached(rest).trim_start_matches("samesign ");
            let (relation, rest) = rest.split_once(' ')?;
            let (kind, rest) = rest.split_once(' ')?;
            let (left, right) = rest.split_once(", ")?;
            Some(What::Compare { relation, kind, left, right })
        }
        "br" => {
            let (condition, _) = rest.strip_prefix("i1 ")?.split_once(',')?;
            Some(What::Branch { condition })
        }
        _ => None,
    }
}

fn cut<'a>(text: &'a str, end: &str) -> &'a str {
    text.find(end).map_or(text, |at| &text[..at])
}

fn conversion(text: &str) -> Option<(&str, &str, &str)> {
    let (left, to) = text.rsplit_once(" to ")?;
    let (from, value) = left.split_once(' ')?;
    Some((from, value, to))
}

pub(super) fn bits(kind: &str) -> Option<u32> {
    kind.strip_prefix('i')?.parse().ok()
}

fn phi(text: &str) -> Option<What<'_>> {
    let (kind, rest) = text.split_once(" [ ")?;
    let mut from = Vec::new();
    for pair in rest.split("[ ") {
        let (value, block) = cut(pair, " ]").rsplit_once(", %")?;
        from.push((value, block));
    }
    Some(What::Phi { kind, from })
}

fn binary<'a>(name: &str, text: &'a str) -> Option<What<'a>> {
    let (mut nuw, mut nsw, mut disjoint, mut rest) = (false, false, false, text);
    loop {
        let (word, after) = rest.split_once(' ')?;
        match word {
            "nuw" => nuw = true,
            "nsw" => nsw = true,
            "disjoint" => disjoint = true,
            _ => {
                let (left, right) = after.split_once(", ")?;
                let operator = match name {
                    "add" => Operator::Add,
                    "sub" => Operator::Sub,
                    "mul" => Operator::Mul,
                    "shl" => Operator::Shl,
                    // No bit is in both, so that nothing is carried.
                    "or" if disjoint => {
                        (nuw, nsw) = (true, true);
                        Operator::Add
                    }
                    _ => return None,
                };
                return Some(What::Binary { operator, nuw, nsw, bits: bits(word)?, left, right });
            }
        }
        rest = after;
    }
}

fn offset(text: &str) -> Option<What<'_>> {
    let mut rest = text;
    loop {
        let (word, after) = rest.split_once(' ')?;
        if !matches!(word, "inbounds" | "nuw" | "nusw") {
            break;
        }
        rest = after;
    }
    let mut parts = split(rest).into_iter();
    let kind = parts.next()?;
    let base = parts.next()?.strip_prefix("ptr ")?;
    let indices = parts.map(|part| part.split_once(' ').and_then(|(kind, value)| Some((bits(kind)?, value))));
    Some(What::Offset { kind, base, indices: indices.collect::<Option<_>>()? })
}

/// Splits at the commas that are in no brackets.
pub(super) fn split(text: &str) -> Vec<&str> {
    let (mut depth, mut from, mut parts) = (0i32, 0, Vec::new());
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            b'(' | b'[' | b'{' | b'<' => depth += 1,
            b')' | b']' | b'}' | b'>' => depth -= 1,
            b',' if depth == 0 => {
                parts.push(text[from..at].trim());
                from = at + 1;
            }
            _ => {}
        }
    }
    parts.push(text[from..].trim());
    parts
}

fn call(body: &str) -> What<'_> {
    if body.contains(" asm ") {
        return What::Synchronising;
    }
    let called = body.match_indices(['@', '%']).find_map(|(at, _)| {
        let name = if body[at..].starts_with('@') { symbol(&body[at..])? } else { local(&body[at..])? };
        body[at + name.len()..].starts_with('(').then_some((at, name))
    });
    let Some((at, name)) = called else { return What::Call { callee: None, text: body } };
    let check = || {
        let (kind, size) = checked(&name[1..])?;
        let (address, rest) = body[at + name.len()..].strip_prefix("(ptr ")?.rsplit_once(')')?;
        let address = address.trim_start_matches("nonnull ");
        (!address.contains([',', '('])).then_some(Check {
            kind,
            size,
            callee: name,
            address,
            rest,
            fixed: false,
        })
    };
    match check() {
        Some(check) if body.starts_with("call void") || body.starts_with("tail call void") => {
            What::Check(check)
        }
        _ => What::Call { callee: name.starts_with('@').then_some(name), text: body },
    }
}

/// The kind and size of an access, from the name of the call that tells of it.
pub(super) fn checked(name: &str) -> Option<(Kind, u32)> {
    let name = name.strip_prefix("__tsan_")?;
    let name = name.strip_prefix("unaligned_").unwrap_or(name);
    let (kind, size) = match name.strip_prefix("read") {
        Some(size) => (Kind::Read, size),
        None => (Kind::Write, name.strip_prefix("write")?),
    };
    matches!(size, "1" | "2" | "4" | "8" | "16").then(|| Some((kind, size.parse().ok()?)))?
}

/// What is in the parentheses right behind a name, by commas.
pub(super) fn arguments<'a>(text: &'a str, name: &str) -> Option<Vec<&'a str>> {
    let (_, inside) = text.split_once(&format!("{name}("))?;
    let mut depth = 1;
    let end = inside.bytes().position(|byte| {
        depth += i32::from(byte == b'(') - i32::from(byte == b')');
        depth == 0
    })?;
    Some(if end == 0 { Vec::new() } else { split(&inside[..end]) })
}

/// The names of a text, `%x` or `@x`, types and labels among them.
pub(super) fn names(text: &str) -> impl Iterator<Item = &str> {
    text.match_indices(['%', '@']).filter_map(|(at, _)| local(&text[at..]).or_else(|| symbol(&text[at..])))
}

/// `@name` or `@"any name"` at the beginning of a text.
fn symbol(text: &str) -> Option<&str> {
    named(text, '@')
}

/// `%name` or `%"any name"`.
pub(super) fn local(text: &str) -> Option<&str> {
    named(text, '%')
}

fn named(text: &str, sign: char) -> Option<&str> {
    let rest = text.strip_prefix(sign)?;
    let length = if let Some(quoted) = rest.strip_prefix('"') {
        quoted.find('"')? + 2
    } else {
        rest.bytes().take_while(|byte| byte.is_ascii_alphanumeric() || b"-$._".contains(byte)).count()
    };
    (length > 0).then(|| &text[..length + 1])
}
