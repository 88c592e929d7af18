//! Promises that come close to ordering two accesses, of HClib and of C++'s standard library: one
//! task has set a promise and made its access only after that, the other access comes after the
//! set, since its task has waited for the promise or for somebody who has.

use super::edit::{Edit, Editor};
use super::fix::{Fix, Template};
use super::{Advice, noun};
use crate::style::safe;
use raceproof_core::finding::{RaceAccess, SetBefore};

/// The words for setting a promise, and the template of the fix.
pub(super) struct Set {
    pub(super) was: &'static str,
    pub(super) is: &'static str,
    pub(super) noun: &'static str,
    pub(super) template: Template,
}

/// The promise that was set too early, the access after that, and the other one.
fn set_before<'a>(advice: &Advice<'a>) -> Option<(&'a SetBefore, &'a RaceAccess, &'a RaceAccess)> {
    let (first, second) = (&advice.race.first, &advice.race.second);
    let promise = advice.race.promise.as_ref()?;
    match promise.task == first.task {
        true => Some((promise, first, second)),
        false if promise.task == second.task => Some((promise, second, first)),
        false => None,
    }
}

/// That the promise does not order the accesses.
pub(super) fn why(advice: &Advice<'_>, set: &Set) -> Option<String> {
    let (promise, access, other) = set_before(advice)?;
    Some(format!(
        "at {}, {} {} the promise created at {}. The {} of {} comes after that {noun}, and so does the {} at {}: nothing \
         after the {noun} orders the two accesses.",
        advice.at(&promise.set),
        safe(&promise.task),
        set.was,
        advice.at(&promise.created),
        self::noun(other.access),
        safe(&other.task),
        self::noun(access.access),
        advice.at(&access.at),
        noun = set.noun,
    ))
}

/// The set, after the access that it does not order.
pub(super) fn set_later(advice: &Advice<'_>, set: &Set) -> Option<Fix> {
    let (promise, access, _) = set_before(advice)?;
    let (file, tree) = advice.sources.file(&promise.set.file)?;
    if advice.sources.file(&access.at.file)?.0 != file {
        return None;
    }
    let editor = Editor { file, tree };
    let (sets, after) = (tree.at(&promise.set)?, tree.at(&access.at)?);
    let (_, own, after) = tree.parting(sets, after)?;
    let (begin, end) = (tree.first_token(sets), tree.last_token(sets));
    let is_alone = own == sets && begin.line == end.line && tree.is_listed(sets) && tree.is_listed(after);
    if !is_alone || tree.nodes[sets].first > tree.nodes[after].first {
        return None;
    }
    let text = advice.sources.line(&promise.set)?;
    let removed = end.end() - begin.column;
    let statement: String = text.chars().skip(begin.column as usize - 1).take(removed as usize).collect();
    let gone = Edit {
        file: file.to_owned(),
        line: begin.line,
        column: begin.column,
        removed,
        inserted: String::new(),
    };
    let mut edits = editor.after(after, &statement);
    edits.push(gone);
    let what = format!(
        "{} the promise after the {} at {}, and not before",
        set.is,
        noun(access.access),
        advice.at(&access.at)
    );
    Some(Fix::new(set.template, what, edits))
}
