//! Parallel regions, and leagues of teams, made at random, as C with OpenMP, and a naive oracle of
//! them: it executes every size of the team and every assignment of work to threads that the
//! standard allows.
//!
//! Nothing in these programs synchronises but barriers. Two accesses of one execution race if
//! different threads make them between the same two barriers, to one cell, and one of them writes.

use super::generate::Random;
use std::collections::BTreeSet;

/// Cells of the shared array `a`, and where subscripts begin.
pub const CELLS: i64 = 64;
const ORIGIN: i64 = 24;

/// An access to `a[ORIGIN + offset + scale * i]`, where `i` is the variable of the loop around it.
#[derive(Clone, Copy, Debug)]
struct Access {
    site: usize,
    writes: bool,
    scale: i64,
    offset: i64,
    /// An inner loop makes so many, to neighbouring cells.
    times: i64,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Schedule {
    Static,
    Dealt(i64),
    Dynamic(i64),
    Guided(i64),
}

#[derive(Clone, Debug)]
enum Construct {
    /// Every thread executes it.
    All(Vec<Access>),
    Master(Vec<Access>),
    Single(Vec<Access>),
    Sections(Vec<Vec<Access>>),
    Loop(Loop),
    Barrier,
}

#[derive(Clone, Debug)]
struct Loop {
    schedule: Schedule,
    first: i64,
    by: i64,
    count: i64,
    /// Collapsed with an inner loop of two iterations.
    collapses: bool,
    body: Vec<Access>,
}

/// A parallel region; each construct with whether a barrier follows.
#[derive(Clone, Debug)]
pub struct Region {
    /// Whether it is a `teams` region: its teams stand for threads, its loops are `distribute`, and
    /// there are no barriers.
    is_league: bool,
    /// The size of the team, or of the league, where a clause sets it.
    size: Option<i64>,
    constructs: Vec<(Construct, bool)>,
}

/// What one thread does to one cell between two barriers.
#[derive(Clone, Copy)]
struct Event {
    thread: i64,
    cell: i64,
    writes: bool,
    site: usize,
}

/// What one thread executes as a whole, wherever it runs: cells, and who accesses them.
type Unit = Vec<(i64, bool, usize)>;

/// Makes regions.
struct Maker<'a> {
    random: &'a mut Random,
    sites: usize,
}

impl Maker<'_> {
    fn below(&mut self, bound: u64) -> i64 {
        self.random.below(bound) as i64
    }

    fn body(&mut self, scales: &[i64]) -> Vec<Access> {
        (0..=self.below(2))
            .map(|_| {
                self.sites += 1;
                Access {
                    site: self.sites - 1,
                    writes: self.below(5) < 2,
                    scale: scales[self.below(scales.len() as u64) as usize],
                    offset: self.below(9) - 4,
                    times: if self.below(4) == 0 { 2 + self.below(2) } else { 1 },
                }
            })
            .collect()
    }

    fn construct(&mut self) -> Construct {
        match self.below(12) {
            0 => {
                let mut body = self.body(&[0]);
                // Every thread writes: mostly that would be the only race.
                body.iter_mut().for_each(|access| access.writes = false);
                Construct::All(body)
            }
            1 => Construct::Master(self.body(&[0])),
            2..=4 => Construct::Single(self.body(&[0])),
            5 => Construct::Sections((0..=self.below(3)).map(|_| self.body(&[0])).collect()),
            6 => Construct::Barrier,
            _ => {
                let chunk = 1 + self.below(3);
                let schedules = [
                    Schedule::Static,
                    Schedule::Dealt(chunk),
                    Schedule::Dynamic(chunk),
                    Schedule::Guided(chunk),
                ];
                let collapses = self.below(6) == 0;
                let schedule = schedules[[0, 0, 1, 1, 2, 3][self.below(6) as usize]];
                Construct::Loop(self.of_loop(schedule, collapses))
            }
        }
    }

    fn of_loop(&mut self, schedule: Schedule, collapses: bool) -> Loop {
        Loop {
            schedule,
            first: self.below(3),
            by: [1, 1, 2, -1][self.below(4) as usize],
            count: self.below(if collapses { 3 } else { 6 }),
            collapses,
            body: self.body(&[1, 1, 1, 2, -1, 0]),
        }
    }

    fn construct_of_league(&mut self) -> Construct {
        if self.below(5) == 0 {
            let mut body = self.body(&[0]);
            body.iter_mut().for_each(|access| access.writes = false);
            return Construct::All(body);
        }
        let chunk = 1 + self.below(3);
        let schedule = [Schedule::Static, Schedule::Dealt(chunk)][self.below(2) as usize];
        let collapses = self.below(6) == 0;
        Construct::Loop(self.of_loop(schedule, collapses))
    }
}

impl Region {
    pub fn new(random: &mut Random) -> Self {
        loop {
            let mut maker = Maker { random, sites: 0 };
            let size = (maker.below(4) == 0).then(|| 2 + maker.below(3));
            let constructs: Vec<(Construct, bool)> =
                (0..=1 + maker.below(3)).map(|_| (maker.construct(), maker.below(2) == 0)).collect();
            // The oracle tries all of their assignments.
            let choices: usize = constructs.iter().map(|(construct, _)| construct.choices()).sum();
            if choices <= 6 {
                return Region { is_league: false, size, constructs };
            }
        }
    }

    /// A `teams` region.
    pub fn league(random: &mut Random) -> Self {
        let mut maker = Maker { random, sites: 0 };
        let size = (maker.below(4) == 0).then(|| 2 + maker.below(3));
        let constructs = (0..=maker.below(3)).map(|_| (maker.construct_of_league(), false)).collect();
        Region { is_league: true, size, constructs }
    }

    /// The region as a function of this name. Returns the line of each site.
    pub fn c(&self, name: &str, text: &mut String) -> Vec<u32> {
        let mut source = Source { text, lines: Vec::new() };
        source.say(&format!("static __attribute__((noinline)) void {name}(void) {{"));
        let (construct, clause) =
            if self.is_league { ("teams", "num_teams") } else { ("parallel", "num_threads") };
        let clause = self.size.map_or(String::new(), |size| format!(" {clause}({size})"));
        source.say(&format!("#pragma omp {construct}{clause}"));
        source.say("{ int seen = 0;");
        for (construct, waits) in &self.constructs {
            let nowait = if *waits { "" } else { " nowait" };
            match construct {
                Construct::All(body) => source.block("", body),
                Construct::Master(body) => source.block("#pragma omp master", body),
                Construct::Single(body) => source.block(&format!("#pragma omp single{nowait}"), body),
                Construct::Sections(sections) => {
                    source.say(&format!("#pragma omp sections{nowait}\n{{"));
                    sections.iter().for_each(|body| source.block("#pragma omp section", body));
                    source.say("}");
                }
                Construct::Barrier => {}
                Construct::Loop(of) if self.is_league => {
                    source.block(&of.pragma("distribute dist_schedule", ""), &of.body);
                }
                Construct::Loop(of) => source.block(&of.pragma("for schedule", nowait), &of.body),
            }
            let is_workshared =
                matches!(construct, Construct::Single(_) | Construct::Sections(_) | Construct::Loop(_));
            if matches!(construct, Construct::Barrier) || *waits && !is_workshared {
                source.say("#pragma omp barrier");
            }
        }
        source.say("sink(seen); } }");
        source.lines
    }

    /// The pairs of sites that race in some execution.
    pub fn races(&self) -> BTreeSet<(usize, usize)> {
        let mut racy = BTreeSet::new();
        let units = self.constructs.iter().map(|(construct, _)| construct.units().len() as i64);
        let most = units.max().unwrap_or(0).max(3);
        let counts: BTreeSet<i64> =
            self.constructs.iter().filter_map(|(construct, _)| construct.even_parts()).collect();
        for size in self.size.map_or(1..=most, |size| size..=size) {
            for is_even in [true, false] {
                turns(&mut counts.iter().copied().collect(), size, &mut Vec::new(), &mut |turns| {
                    let team = Team { size, is_even, turns };
                    self.execute(0, team, &mut Vec::new(), &mut racy);
                });
            }
        }
        racy
    }

    /// Executes the constructs from `at` on in every way, after the events of one since the last
    /// barrier.
    fn execute(
        &self,
        at: usize,
        team: Team<'_>,
        events: &mut Vec<Event>,
        racy: &mut BTreeSet<(usize, usize)>,
    ) {
        let Some((construct, waits)) = self.constructs.get(at) else { return conflicts(events, racy) };
        let waits = *waits || matches!(construct, Construct::Barrier);
        construct.assignments(team, &mut |own| {
            if waits {
                let mut phase = events.clone();
                phase.extend_from_slice(own);
                conflicts(&phase, racy);
                return;
            }
            let before = events.len();
            events.extend_from_slice(own);
            self.execute(at + 1, team, events, racy);
            events.truncate(before);
        });
        // What comes after a barrier does not depend on what was before it.
        if waits {
            self.execute(at + 1, team, &mut Vec::new(), racy);
        }
    }
}

fn conflicts(events: &[Event], racy: &mut BTreeSet<(usize, usize)>) {
    for (number, a) in events.iter().enumerate() {
        for b in &events[number + 1..] {
            if a.thread != b.thread && a.cell == b.cell && (a.writes || b.writes) {
                racy.insert((a.site.min(b.site), a.site.max(b.site)));
            }
        }
    }
}

/// A number of iterations, and the thread that executes the first chunk of loops of as many.
type Turn = (i64, i64);

/// A team, and what the standard leaves open of its static loops without a chunk size.
#[derive(Clone, Copy)]
struct Team<'a> {
    size: i64,
    /// Whether they are divided as evenly as possible, or with all chunks but the last of one size.
    is_even: bool,
    /// By the number of iterations: the thread that executes the first chunk; the others follow.
    turns: &'a [Turn],
}

/// Gives each number of iterations every first thread.
fn turns(counts: &mut Vec<i64>, size: i64, chosen: &mut Vec<Turn>, each: &mut dyn FnMut(&[Turn])) {
    let Some(count) = counts.pop() else { return each(chosen) };
    for thread in 0..size {
        chosen.push((count, thread));
        turns(counts, size, chosen, each);
        chosen.pop();
    }
    counts.push(count);
}

fn unit(body: &[Access], variable: i64) -> Unit {
    let cells = |access: &Access| {
        let first = ORIGIN + access.offset + access.scale * variable;
        let Access { writes, site, times, .. } = *access;
        (0..times).map(move |next| (first + next, writes, site)).collect::<Unit>()
    };
    body.iter().flat_map(cells).collect()
}

fn events(unit: &Unit, thread: i64) -> impl Iterator<Item = Event> + '_ {
    unit.iter().map(move |&(cell, writes, site)| Event { thread, cell, writes, site })
}

/// Gives each of these to every thread.
fn any_thread(units: &[Unit], size: i64, given: &mut Vec<Event>, each: &mut dyn FnMut(&[Event])) {
    let Some((first, rest)) = units.split_first() else { return each(given) };
    for thread in 0..size {
        let before = given.len();
        given.extend(events(first, thread));
        any_thread(rest, size, given, each);
        given.truncate(before);
    }
}

impl Construct {
    /// What it divides.
    fn units(&self) -> Vec<Unit> {
        match self {
            Construct::Single(body) => vec![unit(body, 0)],
            Construct::Sections(sections) => sections.iter().map(|body| unit(body, 0)).collect(),
            Construct::Loop(of) => of.units(),
            _ => Vec::new(),
        }
    }

    /// How many iterations it divides into parts of about the same size.
    fn even_parts(&self) -> Option<i64> {
        match self {
            Construct::Loop(of) if of.schedule == Schedule::Static => Some(of.units().len() as i64),
            _ => None,
        }
    }

    /// How many of them any thread may execute.
    fn choices(&self) -> usize {
        match self {
            Construct::Loop(Loop { schedule: Schedule::Static | Schedule::Dealt(_), .. }) => 0,
            _ => self.units().len(),
        }
    }

    /// Calls `each` with the events of every execution.
    fn assignments(&self, team: Team<'_>, each: &mut dyn FnMut(&[Event])) {
        match self {
            Construct::All(body) => {
                let unit = unit(body, 0);
                each(&(0..team.size).flat_map(|thread| events(&unit, thread)).collect::<Vec<_>>());
            }
            Construct::Master(body) => each(&events(&unit(body, 0), 0).collect::<Vec<_>>()),
            Construct::Loop(of) => of.assignments(team, each),
            Construct::Single(_) | Construct::Sections(_) => {
                any_thread(&self.units(), team.size, &mut Vec::new(), each);
            }
            Construct::Barrier => each(&[]),
        }
    }
}

impl Loop {
    fn pragma(&self, construct: &str, nowait: &str) -> String {
        let Loop { schedule, first, by, count, collapses, .. } = self;
        let schedule = match schedule {
            Schedule::Static => "static".to_owned(),
            Schedule::Dealt(chunk) => format!("static, {chunk}"),
            Schedule::Dynamic(chunk) => format!("dynamic, {chunk}"),
            Schedule::Guided(chunk) => format!("guided, {chunk}"),
        };
        let (end, compare) = (first + by * count, if *by > 0 { '<' } else { '>' });
        let head = format!("for (int i = {first}; i {compare} {end}; i += {by})");
        match collapses {
            true => format!(
                "#pragma omp {construct}({schedule}) collapse(2){nowait}\n{head}\nfor (int k = 0; k < 2; k++)"
            ),
            false => format!("#pragma omp {construct}({schedule}){nowait}\n{head}"),
        }
    }

    fn units(&self) -> Vec<Unit> {
        let inner = if self.collapses { 2 } else { 1 };
        (0..self.count * inner).map(|at| unit(&self.body, self.first + self.by * (at / inner))).collect()
    }

    fn assignments(&self, team: Team<'_>, each: &mut dyn FnMut(&[Event])) {
        let units = self.units();
        let count = units.len() as i64;
        let joined = |chunk: &[Unit]| chunk.concat();
        let by_thread = |thread_of: &dyn Fn(i64) -> i64| -> Vec<Event> {
            units.iter().enumerate().flat_map(|(at, unit)| events(unit, thread_of(at as i64))).collect()
        };
        match self.schedule {
            Schedule::Static => each(&by_thread(&|at| team.part(at, count))),
            Schedule::Dealt(chunk) => each(&by_thread(&|at| at / chunk % team.size)),
            Schedule::Dynamic(chunk) => {
                let chunks: Vec<Unit> = units.chunks(chunk as usize).map(joined).collect();
                any_thread(&chunks, team.size, &mut Vec::new(), each);
            }
            Schedule::Guided(chunk) => {
                for division in divisions(units.len(), chunk as usize) {
                    let mut from = 0;
                    let chunks: Vec<Unit> = division
                        .into_iter()
                        .map(|length| {
                            from += length;
                            joined(&units[from - length..from])
                        })
                        .collect();
                    any_thread(&chunks, team.size, &mut Vec::new(), each);
                }
            }
        }
    }
}

impl Team<'_> {
    /// Which thread executes an iteration of a static loop of so many.
    fn part(self, at: i64, count: i64) -> i64 {
        let turn = self.turns.iter().find(|(of, _)| *of == count).map_or(0, |(_, turn)| *turn);
        (self.number_of_part(at, count) + turn) % self.size
    }

    fn number_of_part(self, at: i64, count: i64) -> i64 {
        if !self.is_even {
            return at / ((count + self.size - 1) / self.size).max(1);
        }
        let (small, extra) = (count / self.size, count % self.size);
        let ends = (1..=self.size).map(|parts| parts * small + parts.min(extra));
        ends.take_while(|&end| end <= at).count() as i64
    }
}

/// All divisions of a loop into chunks of at least so many iterations, the last one aside.
fn divisions(count: usize, least: usize) -> Vec<Vec<usize>> {
    let mut all = Vec::new();
    if count == 0 {
        return vec![Vec::new()];
    }
    for first in least.min(count)..=count {
        for mut rest in divisions(count - first, least) {
            rest.insert(0, first);
            all.push(rest);
        }
    }
    all
}

/// C under construction, with the lines of sites.
struct Source<'a> {
    text: &'a mut String,
    lines: Vec<u32>,
}

impl Source<'_> {
    fn say(&mut self, words: &str) {
        self.text.push_str(words);
        self.text.push('\n');
    }

    fn block(&mut self, head: &str, body: &[Access]) {
        self.say(&format!("{head}\n{{"));
        for Access { site, writes, scale, offset, times } in body {
            let base = ORIGIN + offset;
            let subscript = if *scale == 0 { format!("{base}") } else { format!("{base} + {scale} * i") };
            let (before, inner) = match times {
                1 => (String::new(), ""),
                _ => (format!("for (int j = 0; j < {times}; j++) "), " + j"),
            };
            self.lines.resize(self.lines.len().max(site + 1), 0);
            self.lines[*site] = self.text.lines().count() as u32 + 1;
            self.say(&match writes {
                true => format!("{before}a[{subscript}{inner}] = 1;"),
                false => format!("{before}seen += a[{subscript}{inner}];"),
            });
        }
        self.say("}");
    }
}
