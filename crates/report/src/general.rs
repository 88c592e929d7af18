//! Nondeterminism that is no data race: two things whose order the schedule chooses.

use super::cause::general_id;
use super::listed::general_side;
use super::snippet::Snippet;
use super::sources::Sources;
use super::style::{Page, Role, safe};
use super::view;
use raceproof_core::event::AccessKind;
use raceproof_core::finding::{GeneralRace, GeneralSide, Place};

/// The places of the two sides, as the reader names them.
pub(super) fn places(race: &GeneralRace, sources: &Sources) -> [Option<Place>; 2] {
    [&race.first, &race.second].map(|side| side.at.as_ref().map(|at| view::place(at, sources)))
}

pub(super) fn render(page: &mut Page, sources: &Sources, race: &GeneralRace) {
    let id = general_id(race, sources);
    let what = match race.kind.as_str() {
        "sections" if race.on == "isolated" => "isolated sections".to_owned(),
        "sections" => format!("sections of {}", safe(&race.on)),
        "sets" => format!("sets of the promise {}", safe(&race.on)),
        "posts" => format!("posts of {}", safe(&race.on)),
        "takes" => format!("P({})", safe(&race.on)),
        "gives" => format!("V({})", safe(&race.on)),
        other => safe(other),
    };
    let cell =
        race.location.as_ref().map(|cell| format!(" that conflict on {}", safe(cell))).unwrap_or_default();
    let [first, second] = places(race, sources);
    let unknown = Place { file: String::new(), line: 0, column: 0 };
    let head = first.as_ref().or(second.as_ref()).unwrap_or(&unknown);
    page.finding(head, "warning", &format!("nondeterminism: {what}{cell} come in either order [{id}]"));
    if let (Some(first), Some(second)) = (&first, &second)
        && first != second
    {
        page.finding(second, "note", &format!("the other, by {}", safe(&race.second.task)));
    }
    let snippet = Snippet::for_places(first.iter().chain(&second));
    for (side, at) in [(&race.first, &first), (&race.second, &second)] {
        page.blank();
        page.headline(Role::Strong, 2, &general_side(side, race.location.as_deref()));
        if let Some(at) = at {
            snippet.show(page, sources, at, mark(side));
        }
    }
}

fn mark(side: &GeneralSide) -> Role {
    if side.access == Some(AccessKind::Write) { Role::Write } else { Role::Read }
}

/// What they meet on, in short.
pub(super) fn on(race: &GeneralRace) -> String {
    safe(race.location.as_deref().unwrap_or(&race.on))
}
