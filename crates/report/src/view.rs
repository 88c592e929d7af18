//! A finding as its reader sees it: at the user's own lines, files named from where the reader
//! stands, names short, memory in the words of the source.
//!
//! Findings keep every frame, for programs that read them. The text turns a finding into one whose
//! sides stand in the user's code, so that excerpts, explanation and advice speak of that, and
//! keeps aside what happened below it in a library.

use crate::cause::Group;
use crate::frames::{Origin, library_depth, origin, place_at};
use crate::names;
use crate::sources::Sources;
use raceproof_core::finding::{
    Deadlock, Frame, Object, Place, ProgramError, Race, RaceAccess, Spawned, Waiting,
};

/// What a library did below a line of the user's.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Inside {
    /// The function that the user's code calls.
    pub called: String,
    /// The function that makes the access, and where.
    pub function: String,
    pub at: Place,
    /// How many frames of libraries there are, these two included.
    pub frames: usize,
    pub library: &'static str,
}

/// A race at the user's lines.
pub struct UserRace {
    pub race: Race,
    /// What is below each side.
    pub inside: [Option<Inside>; 2],
    /// What the race is on, in the words of the source.
    pub what: String,
}

/// The race that is shown for a group.
pub fn race(group: &Group<'_>, sources: &Sources) -> UserRace {
    let mut race = group.shown().clone();
    let what = what(group, sources);
    let inside = [&mut race.first, &mut race.second].map(|side| access(side, sources));
    if inside.iter().any(Option::is_some) || source_name(&race.location).is_none() {
        race.location = what.clone();
    }
    match &mut race.object {
        Some(Object::Heap { at, stack, .. }) => {
            lift(at, stack, sources);
        }
        Some(Object::Global { name, .. }) => *name = names::type_name(name),
        _ => {}
    }
    UserRace { race, inside, what }
}

fn access(side: &mut RaceAccess, sources: &Sources) -> Option<Inside> {
    if let Some(region) = &mut side.region {
        rename(&mut region.at, sources);
    }
    spawns(&mut side.spawned, sources);
    lift(&mut side.at, &mut side.stack, sources)
}

/// A deadlock with the user's lines.
pub(crate) fn deadlock(deadlock: &Deadlock, sources: &Sources) -> Deadlock {
    let waiting = |waiting: &Waiting| {
        let mut waiting = waiting.clone();
        spawns(&mut waiting.spawned, sources);
        lift(&mut waiting.at, &mut waiting.stack, sources);
        if let Some(taken) = &mut waiting.holder_ended {
            rename(taken, sources);
        }
        waiting
    };
    Deadlock { waiting: deadlock.waiting.iter().map(waiting).collect(), ..deadlock.clone() }
}

/// A program error at the user's line.
pub(crate) fn error(error: &ProgramError, sources: &Sources) -> (ProgramError, Option<Inside>) {
    let mut error = error.clone();
    spawns(&mut error.spawned, sources);
    let inside = lift(&mut error.at, &mut error.stack, sources);
    (error, inside)
}

pub(crate) fn place(at: &Place, sources: &Sources) -> Place {
    Place { file: sources.project.shown(&at.file), ..at.clone() }
}

fn rename(at: &mut Place, sources: &Sources) {
    if !at.file.is_empty() {
        at.file = sources.project.shown(&at.file);
    }
}

fn spawns(spawned: &mut [Spawned], sources: &Sources) {
    spawned.iter_mut().for_each(|spawn| rename(&mut spawn.at, sources));
}

/// Moves a place up to the user's own frame, and gives what was below.
fn lift(at: &mut Place, stack: &mut Vec<Frame>, sources: &Sources) -> Option<Inside> {
    let depth = library_depth(at, stack);
    let mut inside = None;
    if depth > 0 {
        let library =
            library(std::iter::once(&*at).chain(stack[..depth - 1].iter().map(|frame| &frame.call)));
        inside = Some(Inside {
            called: names::function(&stack[depth - 1].function),
            function: names::function(&stack[0].function),
            at: place(at, sources),
            frames: depth,
            library,
        });
        *at = place_at(at, stack, depth).clone();
        stack.drain(..depth);
    }
    rename(at, sources);
    for frame in stack {
        frame.function = names::function(&frame.function);
        rename(&mut frame.call, sources);
    }
    inside
}

/// Whose frames these are, in words.
pub(crate) fn library<'a>(places: impl Iterator<Item = &'a Place>) -> &'static str {
    let mut all: Vec<Origin> =
        places.map(|at| origin(&at.file)).filter(|origin| *origin != Origin::Unknown).collect();
    all.dedup();
    match all.as_slice() {
        [Origin::Standard] => "the standard library",
        [Origin::Rayon] => "rayon",
        _ => "libraries",
    }
}

/// What a group of races is on: `x`, `values`, `a[1] and 9 more cells`, `a heap block of 8 bytes
/// allocated at f.c:3:9`.
fn what(group: &Group<'_>, sources: &Sources) -> String {
    let named = group.races.iter().find_map(|race| source_name(&race.location).map(|name| (race, name)));
    let Some((race, name)) = named else { return block(group.shown(), sources) };
    let name = &names::type_name(name);
    if *name != race.location {
        // The inside of something of a library's, which is one thing to its user.
        return name.to_owned();
    }
    let sides = [&race.first, &race.second];
    if sides.iter().any(|side| library_depth(&side.at, &side.stack) > 0)
        && let Some(variable) = variable(race).filter(|variable| name.starts_with(*variable))
    {
        return names::type_name(variable);
    }
    let cells = group.cells();
    match cells.len() {
        1 => name.to_owned(),
        _ if cells.iter().any(|cell| source_name(cell) != Some(cell)) => name.to_owned(),
        2 => format!("{} and {}", cells[0], cells[1]),
        n => format!("{} and {} more cells", cells[0], crate::style::grouped(n as u64 - 1)),
    }
}

/// The variable that a location is a part of.
fn variable(race: &Race) -> Option<&str> {
    match race.object.as_ref()? {
        Object::Global { name, .. } => Some(name),
        Object::Stack { name, .. } | Object::ThreadLocal { name, .. } => name.as_deref(),
        Object::Heap { .. } => None,
    }
}

fn block(race: &Race, sources: &Sources) -> String {
    match &race.object {
        Some(Object::Heap { at, size, .. }) => {
            let from = if at.line > 0 {
                format!(" allocated at {}", place_name(at, sources))
            } else {
                String::new()
            };
            format!("a heap block of {}{from}", crate::style::count(*size, "byte"))
        }
        // As a trace names it: `heap@f.c:5+8`.
        _ => match race.location.strip_prefix("heap@").and_then(|name| name.rsplit_once('+')) {
            Some((place, offset)) => {
                let (file, line) = place.rsplit_once(':').unwrap_or((place, "?"));
                let file = sources.project.shown(file);
                format!("offset {offset} of a heap block allocated at {file}:{line}")
            }
            None => race.location.clone(),
        },
    }
}

fn place_name(at: &Place, sources: &Sources) -> String {
    format!("{}:{}", sources.project.shown(&at.file), at.line)
}

/// The part of a location's name that is the user's: `s.values` of `s.values._M_impl._M_start`, none
/// of `*__p`, the name of a variable inside a library, nor of a block without a name.
pub(crate) fn source_name(location: &str) -> Option<&str> {
    let is_reserved =
        |name: &str| name.starts_with("__") || name.starts_with("_M_") || name.starts_with("_S_");
    let root = location.trim_start_matches(['*', '(', '&']);
    if is_reserved(root) || location.starts_with("heap@") || location.is_empty() {
        return None;
    }
    let inner = ["._M_", ".__", "->_M_", "->__"].iter().filter_map(|mark| location.find(mark)).min();
    let name = &location[..inner.unwrap_or(location.len())];
    (name != "*this" && name != "this" && !name.starts_with("(*this)")).then_some(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_end_where_the_library_begins() {
        assert_eq!(source_name("x"), Some("x"));
        assert_eq!(source_name("s.values._M_impl._M_start"), Some("s.values"));
        assert_eq!(source_name("p->values.__begin_"), Some("p->values"));
        assert_eq!(source_name("*__p"), None);
        assert_eq!(source_name("this->_M_impl"), None);
        // Of a container that is the first member.
        assert_eq!(source_name("(*this)[i]"), None);
        assert_eq!(source_name("heap@f.c:5+8"), None);
        assert_eq!(source_name("a[3]"), Some("a[3]"));
    }
}
