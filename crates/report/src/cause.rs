//! What makes two races one bug.
//!
//! The *cause* of a race is the unordered pair of the user's own lines and the object they meet on.
//! One `push_back` in tasks races on every field of the vector and on its blocks; a loop races on
//! every element; `x += 1` races by its read and its write. Each is one bug, and one report.
//!
//! The object is the variable, the place that allocated the block, or the name of the cell without
//! its indices. Blocks that a library accesses for the user belong to whatever else the same two
//! lines meet on: nobody but the library knows of them.
//!
//! An [`Id`] names a cause in later runs: it is made of what does not change when lines are
//! inserted above (the text of the two lines, not their numbers), nor from machine to machine.

use crate::frames::{library_depth, user_function, user_place};
use crate::names::without_hash;
use crate::sources::Sources;
use raceproof_core::event::AccessKind;
use raceproof_core::finding::{
    Deadlock, Frame, GeneralRace, GeneralSide, Object, Place, ProgramError, Race, RaceAccess,
};
use rustc_hash::{FxHashMap, FxHashSet};
use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::fmt;

/// The short name of a finding, the same in every run that finds it: 10 hexadecimal digits.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Id(u64);

impl fmt::Display for Id {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:010x}", self.0)
    }
}

impl Id {
    /// As [`fmt::Display`] writes it; none if it is something else.
    pub fn parse(text: &str) -> Option<Id> {
        let is_id = text.len() == 10 && text.bytes().all(|byte| byte.is_ascii_hexdigit());
        is_id.then(|| u64::from_str_radix(text, 16).ok()).flatten().map(Id)
    }

    /// Of the parts, in their order.
    fn of(parts: &[&str]) -> Id {
        // FNV-1a, 64 bits, with a byte after each part that no text has. Folded to 40 bits.
        let mut hash = 0xcbf2_9ce4_8422_2325u64;
        let mut take = |byte: u8| hash = (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
        for part in parts {
            part.bytes().for_each(&mut take);
            take(0xff);
        }
        Id((hash >> 40 ^ hash) & 0xff_ffff_ffff)
    }
}

/// The races of one cause.
pub struct Group<'a> {
    pub id: Id,
    /// Never empty; the first one is shown for all: the surest, then the first to fix, then the one
    /// with a witness, then the one with more writes.
    pub races: Vec<&'a Race>,
    /// The indices of `races` in the report, in the same order.
    pub members: Vec<usize>,
}

/// The groups, those to fix first at the head, else in the order of the report.
pub fn group<'a>(races: &'a [Race], sources: &Sources) -> Vec<Group<'a>> {
    let mut by_key: BTreeMap<Key<'a>, usize> = BTreeMap::new();
    let mut groups: Vec<Vec<usize>> = Vec::new();
    let mut hidden = Vec::new();
    for (at, race) in races.iter().enumerate() {
        let key = Key::of(race);
        if key.object == Name::Hidden {
            hidden.push((at, key));
            continue;
        }
        let index = *by_key.entry(key).or_insert(groups.len());
        if index == groups.len() {
            groups.push(Vec::new());
        }
        groups[index].push(at);
    }
    // The library's own blocks: to the first other object of the same two lines.
    for (at, key) in hidden {
        let sides = key.sides;
        let same = by_key.range(key.clone()..).next().filter(|(other, _)| other.sides == sides);
        let index = same.map_or(groups.len(), |(_, &index)| index);
        if index == groups.len() {
            by_key.insert(key, index);
            groups.push(Vec::new());
        }
        groups[index].push(at);
    }
    for members in &mut groups {
        members.sort_by_key(|&at| {
            let race = &races[at];
            let writes =
                [&race.first, &race.second].iter().filter(|side| side.access == AccessKind::Write).count();
            let hidden = Name::of(race) == Name::Hidden;
            (Reverse(race.grade), race.partition, race.witness.is_none(), hidden, Reverse(writes), at)
        });
    }
    groups.sort_by_key(|members| (first_partition(races, members), members.iter().min().copied()));
    let mut equal: FxHashMap<Vec<String>, u32> = FxHashMap::default();
    let with_id = |members: Vec<usize>| {
        let races: Vec<&Race> = members.iter().map(|&at| &races[at]).collect();
        let named = races.iter().find(|race| Name::of(race) != Name::Hidden).unwrap_or(&races[0]);
        let mut parts = traits(races[0], named, sources);
        let number = equal.entry(parts.clone()).or_default();
        *number += 1;
        parts.push(number.to_string());
        let parts: Vec<&str> = parts.iter().map(String::as_str).collect();
        // A finding that has a name keeps it, whatever the source says by now.
        let id = Id::parse(&races[0].id).unwrap_or_else(|| Id::of(&parts));
        Group { id, races, members }
    };
    groups.into_iter().map(with_id).collect()
}

fn first_partition(races: &[Race], members: &[usize]) -> Option<u32> {
    members.iter().map(|&at| races[at].partition).min()
}

/// For every race of the report the index of its group.
pub fn owners(groups: &[Group<'_>]) -> Vec<usize> {
    let mut owner = vec![0; groups.iter().map(|group| group.members.len()).sum()];
    for (index, group) in groups.iter().enumerate() {
        group.members.iter().for_each(|&at| owner[at] = index);
    }
    owner
}

impl<'a> Group<'a> {
    /// The race that is shown for all.
    pub fn shown(&self) -> &'a Race {
        self.races[0]
    }

    /// The cells, each once, that of the race that is shown first.
    pub fn cells(&self) -> Vec<&'a str> {
        let mut seen = FxHashSet::default();
        self.races.iter().map(|race| race.location.as_str()).filter(|cell| seen.insert(*cell)).collect()
    }

    /// How many pairs of accesses in the program meet here, whichever of the two comes first.
    pub fn pairs(&self) -> usize {
        let pair = |race: &'a Race| {
            let mut pair = [&race.first, &race.second].map(|side| (side.access, &side.at));
            pair.sort_unstable();
            pair
        };
        self.races.iter().map(|race| pair(race)).collect::<FxHashSet<_>>().len()
    }

    /// The other pairs of accesses by which the two lines meet.
    pub(crate) fn other_pairs(&self) -> Vec<[(AccessKind, &'a Place); 2]> {
        let pair = |race: &'a Race| [&race.first, &race.second].map(|access| (access.access, &access.at));
        let mut seen = FxHashSet::from_iter([pair(self.shown())]);
        self.races.iter().map(|race| pair(race)).filter(|pair| seen.insert(*pair)).collect()
    }

    /// How often the lines met: by one pair of accesses for each cell, the others come with it.
    pub fn seen(&self) -> u64 {
        let mut most: FxHashMap<&str, u64> = FxHashMap::default();
        for race in &self.races {
            let of_cell = most.entry(&race.location).or_default();
            *of_cell = race.count.max(*of_cell);
        }
        most.values().fold(0, |sum, count| sum.saturating_add(*count))
    }

    /// How many of the races are less sure than the one shown.
    pub fn less_sure(&self) -> usize {
        self.races.iter().filter(|race| race.grade < self.shown().grade).count()
    }

    /// 1 for what is to be fixed first.
    pub fn partition(&self) -> u32 {
        self.races.iter().map(|race| race.partition).min().unwrap_or(1)
    }

    /// The groups, by index, that this one may only be a consequence of: none if one of its races
    /// is nobody's consequence.
    pub fn follows_from(&self, own: usize, owners: &[usize]) -> Vec<usize> {
        let causes = |race: &&Race| {
            let others: Vec<usize> = race
                .artifact_of
                .iter()
                .filter_map(|&cause| owners.get(cause as usize).copied())
                .filter(|&cause| cause != own)
                .collect();
            others
        };
        let all: Vec<Vec<usize>> = self.races.iter().map(causes).collect();
        if all.iter().any(Vec::is_empty) {
            return Vec::new();
        }
        let mut causes: Vec<usize> = all.into_iter().flatten().collect();
        causes.sort_unstable();
        causes.dedup();
        causes
    }
}

/// The id of a deadlock: where its tasks wait, and for what.
pub fn deadlock_id(deadlock: &Deadlock, sources: &Sources) -> Id {
    if let Some(id) = Id::parse(&deadlock.id) {
        return id;
    }
    let side = |waiting: &raceproof_core::finding::Waiting| {
        let function = waiting.stack.first().map_or("", |frame| &frame.function);
        [side_traits(&waiting.at, function, sources), waiting.on.clone()].concat()
    };
    let mut parts: Vec<String> = deadlock.waiting.iter().map(side).collect();
    parts.sort_unstable();
    parts.dedup();
    let parts: Vec<&str> = std::iter::once("deadlock").chain(parts.iter().map(String::as_str)).collect();
    Id::of(&parts)
}

/// The id of a program error: its kind and where it happened.
pub fn error_id(error: &ProgramError, sources: &Sources) -> Id {
    if let Some(id) = Id::parse(&error.id) {
        return id;
    }
    let depth = library_depth(&error.at, &error.stack);
    let at = crate::frames::place_at(&error.at, &error.stack, depth);
    let function = error.stack.get(depth).map_or("", |frame: &Frame| &frame.function);
    Id::of(&["error", &error.kind, &side_traits(at, function, sources)])
}

/// The id of nondeterminism: what comes in either order, and where.
pub(crate) fn general_id(race: &GeneralRace, sources: &Sources) -> Id {
    if let Some(id) = Id::parse(&race.id) {
        return id;
    }
    let side = |side: &GeneralSide| side.at.as_ref().map_or(String::new(), |at| side_traits(at, "", sources));
    let mut sides = [side(&race.first), side(&race.second)];
    sides.sort_unstable();
    let cell = race.location.as_deref().map(without_indices).unwrap_or_default();
    Id::of(&["general", &race.kind, &race.on, &cell, &sides[0], &sides[1]])
}

/// What the id of a race is made of: the lines of one, and what another calls the object.
fn traits(race: &Race, named: &Race, sources: &Sources) -> Vec<String> {
    let side = |access: &RaceAccess| side_traits(user_place(access), user_function(access), sources);
    let mut sides = [side(&race.first), side(&race.second)];
    sides.sort_unstable();
    let [a, b] = sides;
    let object = match Name::of(named) {
        Name::Hidden => String::new(),
        Name::Variable(name) => name.to_owned(),
        // `new@7[]` has a line in it.
        Name::Cell(name) => name.split_once('@').map_or(name.clone(), |(new, _)| new.to_owned()),
        Name::Block(..) => match &named.object {
            Some(Object::Heap { at, .. }) => side_traits(at, "", sources),
            _ => String::new(),
        },
    };
    vec!["race".to_owned(), a, b, object]
}

/// File, function and text of a line, without what an edit elsewhere changes. Whether the file is
/// newer than the program does not count: a checkout is newer than what was built elsewhere, and
/// the text is mostly the same.
fn side_traits(at: &Place, function: &str, sources: &Sources) -> String {
    let text = match sources.line_as_it_is(at) {
        Some(line) => line.split_whitespace().collect::<Vec<_>>().join(" "),
        None => at.line.to_string(),
    };
    format!("{}\n{}\n{text}\n", sources.project.portable(&at.file), without_hash(function))
}

#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Key<'a> {
    /// Sorted: which of the two came first may differ from cell to cell.
    sides: [(&'a str, u32); 2],
    object: Name<'a>,
}

/// What two lines meet on.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
enum Name<'a> {
    /// A block that only a library knows. The smallest: what follows it in order has a name.
    Hidden,
    Variable(&'a str),
    /// Where the block was allocated.
    Block(&'a str, u32),
    /// The name of the cell, indices dropped.
    Cell(String),
}

impl<'a> Key<'a> {
    fn of(race: &'a Race) -> Key<'a> {
        let side = |access: &'a RaceAccess| {
            let at = user_place(access);
            (at.file.as_str(), at.line)
        };
        let mut sides = [side(&race.first), side(&race.second)];
        sides.sort_unstable();
        Key { sides, object: Name::of(race) }
    }
}

impl<'a> Name<'a> {
    fn of(race: &'a Race) -> Name<'a> {
        let sides = [&race.first, &race.second];
        let in_library = || sides.iter().any(|access| library_depth(&access.at, &access.stack) > 0);
        // A library whose frames are left out, as in Rust programs, seems to be the user's line.
        let own = |at: &Place| {
            sides
                .iter()
                .map(|access| user_place(access))
                .any(|side| (&side.file, side.line) == (&at.file, at.line))
        };
        match &race.object {
            Some(Object::Global { name, .. }) => Name::Variable(name),
            Some(Object::Stack { name: Some(name), .. } | Object::ThreadLocal { name: Some(name), .. }) => {
                Name::Variable(name)
            }
            Some(Object::Heap { at, .. }) if in_library() || own(at) => Name::Hidden,
            Some(Object::Heap { at, .. }) if at.line > 0 => Name::Block(&at.file, at.line),
            _ => Name::Cell(without_indices(&race.location)),
        }
    }
}

/// `a[3][4].x` as `a[][].x`.
fn without_indices(location: &str) -> String {
    let mut out = String::with_capacity(location.len());
    let mut depth = 0usize;
    for c in location.chars() {
        match c {
            '[' => {
                if depth == 0 {
                    out.push_str("[]");
                }
                depth += 1;
            }
            ']' => depth = depth.saturating_sub(1),
            c if depth == 0 => out.push(c),
            _ => {}
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use raceproof_core::finding::{Grade, Operation};

    const VECTOR: &str = "/usr/include/c++/12/bits/vector.tcc";

    fn place(file: &str, line: u32) -> Place {
        Place { file: file.into(), line, column: 5 }
    }

    fn access(access: AccessKind, at: Place) -> RaceAccess {
        RaceAccess {
            access,
            task: "main/1".into(),
            at,
            stack: vec![],
            spawned: vec![],
            locks: vec![],
            operation: Operation::Plain,
            library: None,
            bytes: None,
            region: None,
        }
    }

    fn called(line: u32, from: u32) -> RaceAccess {
        let stack = vec![
            Frame { function: "std::vector::push_back".into(), call: place("a.cpp", from) },
            Frame { function: "main".into(), call: place("", 0) },
        ];
        RaceAccess { stack, ..access(AccessKind::Write, place(VECTOR, line)) }
    }

    fn race(location: &str, first: RaceAccess, second: RaceAccess) -> Race {
        Race::new(location.into(), Grade::Feasible, "main".into(), [first, second])
    }

    fn on(object: Object, race: Race) -> Race {
        Race { object: Some(object), ..race }
    }

    fn local(name: &str) -> Object {
        Object::Stack { task: "main".into(), name: Some(name.into()) }
    }

    fn block(line: u32) -> Object {
        let at = place("a.cpp", line);
        Object::Heap { offset: 0, size: 8, task: "main".into(), at, stack: vec![] }
    }

    fn sizes(races: &[Race]) -> Vec<usize> {
        group(races, &Sources::new()).iter().map(|group| group.races.len()).collect()
    }

    #[test]
    fn all_that_one_library_call_touches_is_one_cause() {
        let races = [
            on(block(12), race("*__p", called(10, 12), called(20, 12))),
            on(local("values"), race("values._M_start", called(114, 12), called(119, 12))),
            on(local("values"), race("values._M_finish", called(515, 12), called(119, 12))),
            on(block(13), race("*__q", called(30, 12), called(20, 12))),
        ];
        assert_eq!(sizes(&races), [4]);
        assert_eq!(group(&races, &Sources::new())[0].pairs(), 4);
        // Without a name of anything, the blocks are one.
        assert_eq!(sizes(&[races[0].clone(), races[3].clone()]), [2]);
    }

    #[test]
    fn other_lines_and_other_objects_are_other_causes() {
        let races = [
            on(local("a"), race("a._M_finish", called(119, 12), called(119, 12))),
            on(local("b"), race("b._M_finish", called(119, 12), called(119, 12))),
            on(local("a"), race("a._M_finish", called(119, 12), called(119, 14))),
        ];
        assert_eq!(sizes(&races), [1, 1, 1]);
    }

    #[test]
    fn cells_of_an_array_and_kinds_of_access_are_one_cause() {
        let write = |line| access(AccessKind::Write, place("f.tp", line));
        let read = |line| access(AccessKind::Read, place("f.tp", line));
        let races = [
            race("a[1]", write(3), write(4)),
            race("a[2]", read(4), write(3)),
            race("b[2]", read(4), write(3)),
        ];
        let groups = group(&races, &Sources::new());
        assert_eq!(
            groups.iter().map(|group| group.members.clone()).collect::<Vec<_>>(),
            [vec![0, 1], vec![2]]
        );
        assert_eq!(owners(&groups), [0, 0, 1]);
        assert_eq!(groups[0].cells(), ["a[1]", "a[2]"]);
    }

    #[test]
    fn the_surest_is_shown_and_the_first_to_fix_leads() {
        let write = |line| access(AccessKind::Write, place("f.tp", line));
        let mut races = vec![
            race("x", write(3), write(4)),
            race("y[0]", write(5), write(6)),
            race("y[1]", write(5), write(6)),
        ];
        races[0].partition = 2;
        races[0].artifact_of = vec![1];
        races[1].grade = Grade::Apparent;
        let groups = group(&races, &Sources::new());
        assert_eq!(groups[0].shown().location, "y[1]");
        assert_eq!(groups[1].follows_from(1, &owners(&groups)), [0]);
        assert!(groups[0].follows_from(0, &owners(&groups)).is_empty());
        assert_eq!(groups[0].less_sure(), 1);
    }

    #[test]
    fn an_id_survives_inserted_lines_and_swapped_sides() {
        let text = "var x;\n  x  = 1;\nx = 2;\n";
        let before = [race(
            "x",
            access(AccessKind::Write, place("f.tp", 2)),
            access(AccessKind::Write, place("f.tp", 3)),
        )];
        let after = [race(
            "x",
            access(AccessKind::Write, place("f.tp", 5)),
            access(AccessKind::Write, place("f.tp", 4)),
        )];
        let id = |races: &[Race], text: &str| {
            let mut sources = Sources::new();
            sources.insert("f.tp", text);
            group(races, &sources)[0].id
        };
        let first = id(&before, text);
        assert_eq!(first, id(&after, &format!("// new\n\n{}", text.replace("  x  =", "x ="))));
        assert_ne!(first, id(&before, &text.replace("x = 2", "x = 3")));
        assert_eq!(first.to_string().len(), 10);
    }

    #[test]
    fn an_id_does_not_depend_on_when_the_program_was_built() {
        let name = concat!(env!("CARGO_MANIFEST_DIR"), "/src/cause.rs");
        let write = |line| access(AccessKind::Write, place(name, line));
        let races = [race("x", write(1), write(3))];
        let id = |built| {
            let mut sources = Sources::new();
            sources.load_file(name, built);
            assert_eq!(sources.stale().count(), usize::from(built.is_some()));
            group(&races, &sources)[0].id
        };
        assert_eq!(id(Some(std::time::SystemTime::UNIX_EPOCH)), id(None));
    }

    #[test]
    fn equal_causes_have_different_ids() {
        let text = "x = 1;\nx = 1;\nx = 1;\n";
        let mut sources = Sources::new();
        sources.insert("f.tp", text);
        let write = |line| access(AccessKind::Write, place("f.tp", line));
        let races = [race("x", write(1), write(2)), race("x", write(1), write(3))];
        let groups = group(&races, &sources);
        assert_eq!(groups.len(), 2);
        assert_ne!(groups[0].id, groups[1].id);
    }

    /// An id is in baselines: it must not change from one version of the tool to the next.
    #[test]
    fn ids_stay_what_they_are() {
        assert_eq!(Id::of(&["race", "a", "b", "x"]).to_string(), "b25a926475");
    }

    #[test]
    fn indices_are_dropped() {
        assert_eq!(without_indices("a[b[3]][4].x"), "a[][].x");
        assert_eq!(without_indices("x"), "x");
        assert_eq!(without_indices("a[3"), "a[]");
    }
}
