//! Random changes to a program that mostly leave a program, but another one: statements moved,
//! dropped, doubled and wrapped, names and numbers exchanged. What random damage leaves intact is
//! nearly always the program it began with.
//!
//! Works on programs as the printer writes them: a statement or the head of a block a line.

use super::mutate::Random;

/// What a statement is put into.
const WRAPPERS: [&str; 9] = [
    "async {",
    "finish {",
    "isolated {",
    "if (1) {",
    "while (1) {",
    "for wrapped in 0..3 {",
    "forall wrapped in 0..3 {",
    "forasync wrapped in 0..2 {",
    "future {",
];
const NUMBERS: [&str; 8] = ["0", "1", "2", "3", "7", "100", "-1", "9223372036854775807"];
const OPERATORS: [&str; 11] = ["+", "-", "*", "/", "%", "<", ">", "==", "!=", "&&", "||"];

/// The program changed once.
pub fn rearrange(text: &str, random: &mut Random) -> String {
    let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
    let statements: Vec<usize> =
        (0..lines.len()).filter(|&at| lines[at].starts_with(' ') && lines[at].ends_with(';')).collect();
    if statements.is_empty() {
        return text.to_owned();
    }
    let one = statements[random.below(statements.len())];
    let two = statements[random.below(statements.len())];
    match random.below(8) {
        0 => drop(lines.remove(one)),
        1 => {
            let copy = lines[one].clone();
            lines.insert(two, copy);
        }
        2 => lines.swap(one, two),
        3 => {
            let wrapper = WRAPPERS[random.below(WRAPPERS.len())];
            let end = if wrapper == "future {" { "}.get();" } else { "}" };
            lines[one] = format!("    {wrapper} {} {end}", lines[one].trim());
        }
        4 => unwrap(&mut lines, random),
        5 => {
            let inside = lines.remove(one);
            let at = random.below(lines.len() + 1);
            lines.insert(at, inside);
        }
        _ => exchange(&mut lines, random),
    }
    lines.join("\n") + "\n"
}

/// Takes a block away and leaves what is in it.
fn unwrap(lines: &mut Vec<String>, random: &mut Random) {
    let heads: Vec<usize> =
        (0..lines.len()).filter(|&at| lines[at].starts_with(' ') && lines[at].ends_with('{')).collect();
    let Some(&head) = heads.get(random.below(heads.len())) else { return };
    let indent = lines[head].len() - lines[head].trim_start().len();
    let closing = format!("{}}}", " ".repeat(indent));
    if let Some(end) = (head + 1..lines.len()).find(|&at| lines[at] == closing) {
        lines.remove(end);
        lines.remove(head);
    }
}

/// Puts another name, number or operator of the program in the place of one.
fn exchange(lines: &mut [String], random: &mut Random) {
    let at = random.below(lines.len());
    let names: Vec<String> = lines
        .iter()
        .flat_map(|line| line.split(|c: char| !c.is_alphanumeric() && c != '_'))
        .filter(|word| word.starts_with(|c: char| c.is_alphabetic()))
        .map(str::to_owned)
        .collect();
    let words: Vec<&str> = lines[at].split_inclusive([' ', '(', ')', '[', ']', ';', ',', '.']).collect();
    let chosen = random.below(words.len());
    let changed = words.iter().enumerate().map(|(number, piece)| {
        let core = piece.trim_end_matches([' ', '(', ')', '[', ']', ';', ',', '.']);
        if number != chosen || core.is_empty() {
            return (*piece).to_owned();
        }
        let new = if core.starts_with(|c: char| c.is_ascii_digit()) {
            NUMBERS[random.below(NUMBERS.len())]
        } else if core.starts_with(|c: char| c.is_alphabetic()) {
            &names[random.below(names.len())]
        } else if OPERATORS.contains(&core) {
            OPERATORS[random.below(OPERATORS.len())]
        } else {
            core
        };
        format!("{new}{}", &piece[core.len()..])
    });
    lines[at] = changed.collect();
}
