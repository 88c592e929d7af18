//! What the page knows beside the JSON report: the source around every place, advice, groups of
//! races, and the sentences of the summary.

use super::Extras;
use crate::cause::Group;
use crate::coverage;
use crate::frames::{Origin, origin};
use crate::playback::Of;
use crate::race::{labelled, sections_in_order};
use crate::{Sources, cause, names, text, view};
use raceproof_core::finding::{Frame, Object, Place, RaceAccess, Report, Spawned, Verdict};
use rustc_hash::FxHashMap;
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};

/// Files up to this many lines are in the page as a whole.
const WHOLE: usize = 2_000;
/// Lines before and after a place in a longer file.
const AROUND: u32 = 40;
/// Lines before and after a place in a library.
const AROUND_IN_LIBRARY: u32 = 6;

/// All of the page's data that is read when it opens.
#[derive(Serialize)]
pub(super) struct Data<'a, R> {
    report: &'a R,
    summary: Summary,
    /// What is said about each race.
    races: Vec<Told>,
    /// What races say, each text once: many say the same.
    texts: Vec<String>,
    /// Races with the same cause, those to fix first at the head.
    groups: Vec<GroupJson>,
    sources: BTreeMap<&'a str, Vec<Excerpt<'a>>>,
    /// Files among those named that are not the user's.
    libraries: BTreeSet<&'a str>,
    /// Shorter names of files and functions, where there are such.
    names: BTreeMap<&'a str, String>,
    deadlock_ids: Vec<String>,
    error_ids: Vec<String>,
    playbacks: Vec<Of>,
    #[serde(skip_serializing_if = "Option::is_none")]
    graph_note: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    playback_note: Option<&'a str>,
}

/// The report in sentences.
#[derive(Serialize)]
struct Summary {
    title: String,
    claim: String,
    effort: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    coverage: Option<String>,
}

/// What is said about a race beyond its data.
#[derive(Serialize)]
struct Told {
    /// What it is on, in the words of the source.
    on: String,
    /// Labels, each with the index of its text.
    parts: Vec<(&'static str, u32)>,
}

#[derive(Default)]
struct Texts {
    all: Vec<String>,
    known: FxHashMap<String, u32>,
}

impl Texts {
    fn index(&mut self, text: String) -> u32 {
        *self.known.entry(text).or_insert_with_key(|text| {
            self.all.push(text.clone());
            self.all.len() as u32 - 1
        })
    }
}

#[derive(Serialize)]
struct GroupJson {
    id: String,
    /// Indices into the report's races; the first one represents the others.
    races: Vec<u32>,
}

/// Some lines of a file.
#[derive(Serialize, PartialEq, Debug)]
struct Excerpt<'a> {
    /// The number of the first one.
    from: u32,
    lines: &'a [String],
}

impl<'a, R: Serialize> Data<'a, R> {
    pub(super) fn new(report: &'a Report, whole: &'a R, sources: &'a Sources, extras: &'a Extras) -> Self {
        let places = places(report, extras);
        let mut texts = Texts::default();
        let groups = cause::group(&report.races, sources);
        Data {
            report: whole,
            summary: Summary {
                title: title(report),
                claim: text::claim(report, &groups),
                effort: text::effort(report),
                coverage: report.coverage.as_ref().map(|seen| coverage::sentence(report, seen, sources)),
            },
            races: told(&groups, report.races.len(), sources, &mut texts),
            texts: texts.all,
            groups: groups.iter().map(GroupJson::new).collect(),
            sources: excerpts(&places, sources),
            libraries: places.keys().copied().filter(|file| is_library(file)).collect(),
            names: short_names(report, &places, sources),
            deadlock_ids: report
                .deadlocks
                .iter()
                .map(|d| cause::deadlock_id(d, sources).to_string())
                .collect(),
            error_ids: report.errors.iter().map(|e| cause::error_id(e, sources).to_string()).collect(),
            playbacks: extras.playbacks.iter().map(|playback| playback.of).collect(),
            graph_note: extras.graph_note.as_deref(),
            playback_note: extras.playback_note.as_deref(),
        }
    }
}

/// The verdict and the file it is about, for the title of the window.
pub(super) fn title(report: &Report) -> String {
    let verdict = match report.verdict {
        Verdict::RaceFree if coverage::is_partial(report) => "race-free in the instrumented code",
        Verdict::RaceFree => "race-free",
        Verdict::Inconclusive => "inconclusive",
        Verdict::Deadlock => "deadlock",
        Verdict::ProgramError => "program error",
        Verdict::Race => "race",
    };
    let races = report.races.iter().map(|race| &race.first.at);
    let errors = report.errors.iter().map(|error| &error.at);
    let waits = report.deadlocks.iter().filter_map(|deadlock| deadlock.waiting.first()).map(|wait| &wait.at);
    match races.chain(errors).chain(waits).find(|at| !is_library(&at.file)) {
        Some(at) => format!("{verdict} in {}", at.file.rsplit('/').next().unwrap_or_default()),
        None => verdict.to_owned(),
    }
}

/// For every race of the report, as if it were the only one of its cause.
fn told(groups: &[Group<'_>], races: usize, sources: &Sources, texts: &mut Texts) -> Vec<Told> {
    let mut all: Vec<Told> = (0..races).map(|_| Told { on: String::new(), parts: Vec::new() }).collect();
    for group in groups {
        for (&member, &race) in group.members.iter().zip(&group.races) {
            let alone = Group { id: group.id, races: vec![race], members: vec![member] };
            let shown = view::race(&alone, sources);
            let said = labelled(&shown, sources).into_iter();
            let race = shown.race;
            let mut parts: Vec<_> =
                said.map(|(label, text)| (label.trim_end_matches(':'), texts.index(text))).collect();
            if let Some(witness) = &race.witness {
                let order = sections_in_order(witness, sources, [&race.first.task, &race.second.task]);
                parts.extend(order.into_iter().map(|sentence| ("witness", texts.index(sentence))));
            }
            all[member] = Told { on: race.location, parts };
        }
    }
    all
}

impl GroupJson {
    fn new(group: &Group<'_>) -> GroupJson {
        let races = group.members.iter().map(|&index| index as u32).collect();
        GroupJson { id: group.id.to_string(), races }
    }
}

fn short_names<'a>(
    report: &'a Report,
    places: &BTreeMap<&'a str, BTreeSet<u32>>,
    sources: &Sources,
) -> BTreeMap<&'a str, String> {
    let races = report.races.iter().flat_map(|race| [&race.first.stack, &race.second.stack]);
    let blocks = report.races.iter().filter_map(|race| match &race.object {
        Some(Object::Heap { stack, .. }) => Some(stack),
        _ => None,
    });
    let waits = report.deadlocks.iter().flat_map(|deadlock| &deadlock.waiting).map(|wait| &wait.stack);
    let errors = report.errors.iter().map(|error| &error.stack);
    let frames = races.chain(blocks).chain(waits).chain(errors).flatten();
    let functions = frames.map(|frame| (frame.function.as_str(), names::function(&frame.function)));
    let files = places.keys().map(|file| (*file, sources.project.shown(file)));
    functions.chain(files).filter(|(long, short)| long != short).collect()
}

/// Whether a file is known not to be the user's own.
fn is_library(file: &str) -> bool {
    !matches!(origin(file), Origin::User | Origin::Unknown)
}

/// The lines that the page may show, by file.
pub(super) fn places<'a>(report: &'a Report, extras: &'a Extras) -> BTreeMap<&'a str, BTreeSet<u32>> {
    let mut found: BTreeMap<&str, BTreeSet<u32>> = BTreeMap::new();
    let mut name = |at: &'a Place| {
        if at.line > 0 {
            found.entry(&at.file).or_default().insert(at.line);
        }
    };
    for race in &report.races {
        for access in [&race.first, &race.second] {
            of_access(access, &mut name);
        }
        if let Some(Object::Heap { at, stack, .. }) = &race.object {
            name(at);
            of_path(stack, &[], &mut name);
        }
    }
    for wait in report.deadlocks.iter().flat_map(|deadlock| &deadlock.waiting) {
        name(&wait.at);
        wait.holder_ended.iter().for_each(&mut name);
        of_path(&wait.stack, &wait.spawned, &mut name);
    }
    for error in &report.errors {
        name(&error.at);
        of_path(&error.stack, &error.spawned, &mut name);
        error.related.iter().for_each(|related| name(&related.at));
    }
    for race in &report.general_races {
        [&race.first, &race.second].into_iter().filter_map(|side| side.at.as_ref()).for_each(&mut name);
    }
    let actions = extras.playbacks.iter().flat_map(|playback| &playback.actions);
    actions.filter_map(|action| action.at.as_ref()).for_each(&mut name);
    found
}

fn of_access<'a>(access: &'a RaceAccess, name: &mut impl FnMut(&'a Place)) {
    name(&access.at);
    if let Some(region) = &access.region {
        name(&region.at);
    }
    of_path(&access.stack, &access.spawned, name);
}

fn of_path<'a>(stack: &'a [Frame], spawned: &'a [Spawned], name: &mut impl FnMut(&'a Place)) {
    stack.iter().for_each(|frame| name(&frame.call));
    spawned.iter().for_each(|spawn| name(&spawn.at));
}

fn excerpts<'a>(
    places: &BTreeMap<&'a str, BTreeSet<u32>>,
    sources: &'a Sources,
) -> BTreeMap<&'a str, Vec<Excerpt<'a>>> {
    let file = |(file, lines): (&&'a str, &BTreeSet<u32>)| {
        let text = sources.text(file)?;
        let around = if is_library(file) { AROUND_IN_LIBRARY } else { AROUND };
        let whole = text.len() <= WHOLE && !is_library(file);
        Some((*file, if whole { vec![Excerpt { from: 1, lines: text }] } else { cut(text, lines, around) }))
    };
    places.iter().filter_map(file).collect()
}

/// The lines around those named; what touches is one excerpt.
fn cut<'a>(text: &'a [String], lines: &BTreeSet<u32>, around: u32) -> Vec<Excerpt<'a>> {
    let last = text.len() as u32;
    let mut ranges: Vec<(u32, u32)> = Vec::new();
    for &line in lines.iter().filter(|&&line| line <= last) {
        let (from, to) = (line.saturating_sub(around).max(1), line.saturating_add(around).min(last));
        match ranges.last_mut() {
            Some((_, end)) if from <= *end + 1 => *end = to,
            _ => ranges.push((from, to)),
        }
    }
    let excerpt = |(from, to): (u32, u32)| Excerpt { from, lines: &text[from as usize - 1..to as usize] };
    ranges.into_iter().map(excerpt).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn excerpts_of_long_files_overlap_nowhere() {
        let text: Vec<String> = (1..=100).map(|n| n.to_string()).collect();
        let cut = |lines: &[u32]| {
            let cut = cut(&text, &lines.iter().copied().collect(), 5);
            cut.iter().map(|excerpt| (excerpt.from, excerpt.lines.len())).collect::<Vec<_>>()
        };
        assert_eq!(cut(&[2, 50]), [(1, 7), (45, 11)]);
        assert_eq!(cut(&[40, 51]), [(35, 22)]);
        assert_eq!(cut(&[99, 400, 50]), [(45, 11), (94, 7)]);
        assert_eq!(cut(&[400]), []);
    }
}
