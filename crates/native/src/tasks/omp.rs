//! Teams, threads and task regions: what OpenMP knows of a task beside what the kernel does.

use crate::detect::contexts::Place;
use crate::detect::detector;
use crate::detect::detector::{Finish, Role, Sizes, Task};
use crate::process;
use crate::process::openmp::{Environment, Icvs};
use crate::process::options::Options;
use crate::tasks::sched::{self, Job, JobSlot, Work, kernel, wait};
use crate::tasks::{explicit, explorer, state};
use raceproof_core::ids::{ScopeId, SiteId, SyncId, TaskId};
use rustc_hash::FxHashMap;
use std::cell::Cell;
use std::ffi::c_void;
use std::rc::Rc;

/// What the program has set for all of itself, and tables by address.
pub(crate) struct Omp {
    /// What holds where the program has set nothing.
    pub(crate) environment: Environment,
    pub(crate) cancellation: bool,
    /// How many teams a league has, and how many threads one of them at most; 0: not said.
    /// `sets_teams`: the program has said so.
    pub(crate) teams: u32,
    pub(crate) sets_teams: bool,
    pub(crate) teams_thread_limit: u32,
    pub(crate) locks: crate::tasks::locks::Locks,
    /// Virtual threads that no team uses; the lowest last.
    idle: Vec<u32>,
    /// Virtual threads there are.
    known: u32,
    pub(crate) threadprivate: crate::tasks::threadprivate::Table,
    /// The region around everything.
    pub(crate) initial: *mut Scope,
    /// What the next parallel region was told.
    pub(crate) next_threads: Option<u32>,
    pub(crate) next_teams: Option<crate::tasks::regions::NextTeams>,
    /// It was said that a team is smaller than asked for.
    pub(crate) said_limit: bool,
    /// The next static loop has marks of its iterations.
    pub(crate) has_marks: bool,
    /// The thread that runs what is deferred where a team has only one; null until there is
    /// something.
    helper: *mut Team,
    pub(crate) constructs: crate::tasks::constructs::Constructs,
    /// Memory for explicit tasks.
    pub(crate) spare: crate::tasks::explicit::Spare,
}

impl Omp {
    pub(crate) fn new(options: &Options) -> Self {
        let team = Box::leak(Box::new(Team::new(1, std::ptr::null_mut(), &[0])));
        let pointer: *mut Team = team;
        team.threads[0].team = pointer;
        let initial = Box::into_raw(Box::new(Scope::new(&raw mut team.threads[0], false)));
        Omp {
            cancellation: options.openmp.cancellation,
            teams: options.openmp.teams,
            sets_teams: false,
            teams_thread_limit: options.openmp.teams_thread_limit,
            environment: options.openmp.clone(),
            locks: Default::default(),
            idle: Vec::new(),
            known: 1,
            threadprivate: Default::default(),
            initial,
            next_threads: None,
            next_teams: None,
            said_limit: false,
            has_marks: false,
            helper: std::ptr::null_mut(),
            constructs: Default::default(),
            spare: Default::default(),
        }
    }
}

/// A team of threads, for one parallel region.
pub(crate) struct Team {
    pub(crate) size: u32,
    /// Whether each of its threads is a task of its own; otherwise the task that opened the region
    /// runs it.
    pub(crate) is_forked: bool,
    /// The sizes that the program allows; of the initial team of a league, those of the league.
    pub(crate) sizes: Sizes,
    pub(crate) threads: Vec<Thread>,
    /// The thread that opened the region; null for the initial team.
    pub(crate) parent: *mut Thread,
    pub(crate) level: u32,
    pub(crate) active_level: u32,
    /// Threads at a barrier. Boxed as the kernel has them: they are moved, and are large.
    #[allow(clippy::vec_box)]
    parked: Vec<Box<Job>>,
    /// Worksharing loops under way, by how many came before them in the region.
    pub(crate) loops: FxHashMap<u64, crate::tasks::loops::Shared>,
    pub(crate) doacross: FxHashMap<u64, crate::tasks::doacross::Shared>,
    pub(crate) copied: *mut c_void,
    /// What was cancelled: the region, or a loop by its number.
    pub(crate) cancelled: bool,
    pub(crate) cancelled_loop: Option<u64>,
    /// Which league of a `teams` construct it belongs to, and of how many.
    pub(crate) league: (u32, u32),
    /// Threads in use in its contention group, which OMP_THREAD_LIMIT limits.
    pub(crate) in_use: Rc<Cell<u32>>,
}

pub(crate) struct Thread {
    pub(crate) team: *mut Team,
    pub(crate) number: u32,
    /// The virtual thread.
    pub(crate) virtual_thread: u32,
    /// Worksharing constructs it has come to.
    pub(crate) loops: u64,
    pub(crate) static_loops: u64,
    pub(crate) singles: u64,
    pub(crate) doacrosses: u64,
    pub(crate) dispatch: Vec<crate::tasks::loops::Cursor>,
    /// Whether it executes a unit of work.
    pub(crate) in_unit: bool,
    /// Distributed loops without marks that it has had a part of, and the one that it is in.
    pub(crate) distributions: u32,
    pub(crate) distribution: crate::tasks::units::Distribution,
    /// Tasks it has created, and how many threads from it the last one runs that was to run
    /// elsewhere.
    pub(crate) created: u32,
    pub(crate) tasks: u32,
}

/// A task region: an explicit task, or the implicit task of a thread.
pub(crate) struct Scope {
    pub(crate) thread: *mut Thread,
    /// Children not yet waited for, by what tells of their ends, and the finish of the order they
    /// are in.
    pub(crate) children: Vec<SyncId>,
    pub(crate) open: Option<Finish>,
    /// Some of them are in no such finish any more: a unit of work has begun or ended since.
    pub(crate) left: bool,
    /// The finish of the order around: of the innermost taskgroup, or of a team of one. None: that
    /// of the task.
    pub(crate) around: Option<Finish>,
    /// `open` and `around` of the taskgroups it is in.
    pub(crate) outside: Vec<(Option<Finish>, Option<Finish>)>,
    pub(crate) depends: crate::tasks::depend::Table,
    /// The taskgroups it is in, innermost last; those it was created in first.
    pub(crate) groups: Vec<Rc<crate::tasks::groups::Group>>,
    /// While the thread executes a unit of work: the children it has created outside of units, and
    /// whether some are in no finish.
    beside: Option<(Vec<SyncId>, bool)>,
    /// Children of units of work that have ended. A taskwait waits for them; had another thread
    /// executed the unit, it would not, and so they do not happen before what comes after it.
    pub(crate) of_units: Vec<SyncId>,
    pub(crate) is_final: bool,
    pub(crate) is_explicit: bool,
    /// The region that goes on when this one, on the same stack, is over.
    pub(crate) outer: *mut Scope,
    /// Children created.
    pub(crate) created: u32,
    /// What it, or a task it was created by, has set.
    pub(crate) icvs: Option<Rc<Icvs>>,
    /// Its finishes, if it is a task of HClib.
    pub(crate) finishes: crate::tasks::finishes::Finishes,
}

/// Where no task runs: the dynamic linker is at work, or tasks were left when `main` returned.
const OUTSIDE: &str = "a parallel region was run by one thread and not judged: it is in a constructor of a shared library, or in an exit handler \
                       of a program whose `main` has returned before its tasks had ended";

/// A list of fewer children is kept for the next task.
const FEW: usize = 64;

impl Scope {
    pub(crate) fn new(thread: *mut Thread, is_explicit: bool) -> Self {
        Scope {
            thread,
            children: Vec::new(),
            open: None,
            left: false,
            around: None,
            outside: Vec::new(),
            depends: Default::default(),
            groups: Vec::new(),
            beside: None,
            of_units: Vec::new(),
            is_final: false,
            is_explicit,
            outer: std::ptr::null_mut(),
            created: 0,
            icvs: None,
            finishes: Default::default(),
        }
    }

    /// Back to what `new` makes for no thread, but for room in its list of children.
    pub(crate) fn renew(&mut self) {
        // By name, so that none is left out.
        let Scope {
            thread,
            children,
            open,
            left,
            around,
            outside,
            depends,
            groups,
            beside,
            of_units,
            is_final,
            is_explicit,
            outer,
            created,
            icvs,
            finishes,
        } = self;
        *thread = std::ptr::null_mut();
        match children.capacity() {
            0..FEW => children.clear(),
            _ => *children = Vec::new(),
        }
        *open = None;
        *left = false;
        *around = None;
        outside.clear();
        if !depends.is_empty() {
            *depends = Default::default();
        }
        groups.clear();
        *beside = None;
        of_units.clear();
        *is_final = false;
        *is_explicit = false;
        *outer = std::ptr::null_mut();
        *created = 0;
        *icvs = None;
        finishes.clear();
    }

    /// Makes this the region the running task is in.
    pub(crate) fn enter(mut self) {
        self.outer = scope();
        self.around = scope().around;
        self.icvs = self.icvs.or_else(|| scope().icvs.clone());
        let inner = Box::into_raw(Box::new(self));
        match sched::job() {
            Some(job) => job.scope = inner,
            None => state().omp.initial = inner,
        }
    }

    /// The region is over, or at a barrier: what it has created and not waited for, it will not
    /// wait for.
    pub(crate) fn end(&mut self) {
        if let Some(open) = self.open.take() {
            detector().leave(open, self.around);
        }
    }

    /// The thread begins a unit of work, whose tasks are waited for in it alone.
    pub(crate) fn begin_unit(&mut self) {
        self.leave_open();
        let beside = (std::mem::take(&mut self.children), std::mem::take(&mut self.left));
        self.beside = Some(beside);
    }

    /// The unit has ended.
    pub(crate) fn end_unit(&mut self) {
        self.leave_open();
        if let Some((children, left)) = self.beside.take() {
            self.of_units.append(&mut self.children);
            (self.children, self.left) = (children, left);
        }
    }

    /// Children created so far may still be waited for, each by itself.
    fn leave_open(&mut self) {
        self.left |= self.open.is_some();
        self.end();
    }

    /// Children that a taskwait waits for without being ordered after them.
    pub(crate) fn unordered_children(&self) -> impl Iterator<Item = SyncId> + '_ {
        let beside = self.beside.iter().flat_map(|(children, _)| children);
        self.of_units.iter().chain(beside).copied()
    }

    /// A child is created. Where there are many, those are left out of which a taskwait would learn
    /// nothing: they have ended, and another stands for them.
    #[inline]
    pub(crate) fn add_child(&mut self, child: SyncId) {
        const MANY: usize = 1 << 12;
        if self.children.len() == self.children.capacity() && self.children.len() >= MANY {
            self.forget_some_children();
        }
        self.children.push(child);
    }

    #[cold]
    fn forget_some_children(&mut self) {
        let awaited = self.depends.awaited();
        self.children.retain(|&child| {
            let goes =
                !awaited.contains(&child) && kernel().is_open(child) && detector().is_end_forgotten(child);
            if goes {
                kernel().forget(child);
            }
            !goes
        });
        // Not again before as many have come.
        self.children.reserve(self.children.len());
    }

    /// All children are over, and nobody will wait for one of them again.
    pub(crate) fn forget_children(&mut self) {
        self.depends.clear();
        for child in self.children.drain(..).chain(self.of_units.drain(..)) {
            detector().forget_end(child);
            kernel().forget(child);
        }
    }

    /// A taskgroup begins: its tasks are waited for on their own.
    pub(crate) fn begin_group(&mut self) {
        let around = detector().newest_scope();
        self.outside.push((self.open.take(), self.around.replace(around)));
    }

    /// A taskgroup has ended, and with it all tasks created in it.
    pub(crate) fn end_group(&mut self) {
        if let Some(open) = self.open.take() {
            detector().close(open);
        }
        (self.open, self.around) = self.outside.pop().unwrap_or_default();
    }

    /// Goes back to the region around it.
    pub(crate) fn leave() -> Box<Scope> {
        scope().end();
        let inner: *mut Scope = scope();
        // SAFETY: made by `enter`; once the pointer to it is replaced, nobody has another.
        let inner = unsafe { Box::from_raw(inner) };
        match sched::job() {
            Some(job) => job.scope = inner.outer,
            None => state().omp.initial = inner.outer,
        }
        inner
    }
}

/// The task region the program is in.
pub(crate) fn scope() -> &'static mut Scope {
    let scope = match sched::job() {
        Some(job) => job.scope,
        None => state().omp.initial,
    };
    // SAFETY: a job's region lives as long as it is the job's (`Job::scope` is set back before it
    // is freed), the initial one for ever; one function at a time looks.
    unsafe { &mut *scope }
}

pub(crate) fn thread() -> &'static mut Thread {
    // SAFETY: a region's thread is one of its team's, which outlives all tasks of the region.
    unsafe { &mut *scope().thread }
}

pub(crate) fn team() -> &'static mut Team {
    // SAFETY: a team outlives its threads.
    unsafe { &mut *thread().team }
}

impl Team {
    pub(crate) fn new(size: u32, parent: *mut Thread, virtual_threads: &[u32]) -> Self {
        let thread = |(number, &virtual_thread): (usize, &u32)| Thread {
            team: std::ptr::null_mut(),
            number: number as u32,
            virtual_thread,
            loops: 0,
            static_loops: 0,
            singles: 0,
            doacrosses: 0,
            dispatch: Vec::new(),
            in_unit: false,
            distributions: 0,
            distribution: Default::default(),
            created: 0,
            tasks: 0,
        };
        // SAFETY: a parent thread and its team live at least as long as the region that is opened.
        let outer = unsafe { parent.as_ref().map(|parent| &*parent.team) };
        let level = outer.map_or(0, |outer| outer.level + 1);
        Team {
            size,
            is_forked: false,
            sizes: Sizes::Only(size),
            threads: virtual_threads.iter().enumerate().map(thread).collect(),
            parent,
            level,
            active_level: outer.map_or(0, |outer| outer.active_level) + u32::from(size > 1),
            parked: Vec::new(),
            loops: FxHashMap::default(),
            doacross: FxHashMap::default(),
            copied: std::ptr::null_mut(),
            cancelled: false,
            cancelled_loop: None,
            league: outer.map_or((0, 1), |outer| outer.league),
            in_use: outer.map_or_else(|| Rc::new(Cell::new(1)), |outer| outer.in_use.clone()),
        }
    }

    /// Keeps a thread that is at a barrier.
    pub(crate) fn park(job: Box<Job>) {
        // SAFETY: the job's region and team are alive: the thread has not left it.
        let team = unsafe { &mut *(*(*job.scope).thread).team };
        team.parked.push(job);
    }

    /// Opens a team of its own for the running task, on its own stack: `work` sees one thread.
    pub(crate) fn alone(work: impl FnOnce()) {
        Self::enter_alone();
        work();
        Self::leave_alone();
    }

    pub(crate) fn enter_alone() {
        detector().has_teams = true;
        let parent: *mut Thread = thread();
        let team = Box::leak(Box::new(Team::new(1, parent, &[thread().virtual_thread])));
        let pointer: *mut Team = team;
        team.threads[0].team = pointer;
        let first = &raw mut team.threads[0];
        let mut region = Scope::new(first, false);
        region.icvs = state().omp.inherited(&scope().icvs, team.level);
        region.enter();
        if sched::job().is_some() {
            wait(|kernel| kernel.finish_begin().map(drop));
            scope().begin_group();
        }
    }

    pub(crate) fn leave_alone() {
        if sched::job().is_some() {
            wait(|kernel| kernel.finish_end());
            scope().end_group();
        }
        let inner = Scope::leave();
        // SAFETY: made by `enter_alone`, and nobody refers to it any more: the tasks of the region
        // have ended.
        drop(unsafe { Box::from_raw((*inner.thread).team) });
    }

    /// Runs `work` on every thread of a new team of `size`, where the program allows `sizes`, and
    /// waits for all of them.
    pub(crate) fn fork(size: u32, sizes: Sizes, pc: usize, work: Rc<dyn Fn(u32)>) {
        detector().has_teams = true;
        if size > 1 && sched::job().is_none() {
            crate::report::limit(OUTSIDE);
        }
        if size <= 1 || sched::job().is_none() {
            return Self::alone(|| work(0));
        }
        crate::tasks::units::divide();
        let parent = thread();
        let mut threads = vec![parent.virtual_thread];
        for _ in 1..size {
            threads.push(state().omp.take_thread());
        }
        let mut team = Box::new(Team::new(size, parent, &threads));
        team.is_forked = true;
        team.sizes = sizes;
        let pointer: *mut Team = &mut *team;
        for thread in &mut team.threads {
            thread.team = pointer;
        }
        let icvs = state().omp.inherited(&scope().icvs, team.level);
        team.in_use.set(team.in_use.get() + size - 1);
        let created = detector().here(pc);
        let root = detector().contexts.task(pc);
        wait(|kernel| kernel.finish_begin().map(drop));
        for number in (0..size).rev() {
            let work = work.clone();
            let work = move || {
                work(number);
                crate::tasks::loops::leave();
                self::scope().end();
            };
            let work = Work::Other(Box::new(work));
            let thread = &mut team.threads[number as usize];
            let mut job = Job::in_region(thread, false, Place::at(root), work);
            job.region.icvs.clone_from(&icvs);
            Self::spawn(job, created, number);
        }
        loop {
            wait(|kernel| kernel.finish_end());
            if team.parked.is_empty() {
                break;
            }
            let mut parked = std::mem::take(&mut team.parked);
            if parked.len() < size as usize {
                crate::report::program_error(
                    "barrier",
                    "some threads of a team wait at a barrier that others never come to",
                );
            }
            wait(|kernel| kernel.finish_begin().map(drop));
            // SAFETY: regions of jobs that have not ended.
            parked.sort_by_key(|job| unsafe { (*(*job.scope).thread).number });
            for job in parked.into_iter().rev() {
                // SAFETY: the scope of a region whose end this thread waits for, so that it lives.
                let scope = unsafe { &mut *job.scope };
                // All are over: nobody has to wait for them.
                scope.forget_children();
                scope.left = false;
                // SAFETY: the thread of that region, which lives as long.
                let number = unsafe { (*scope.thread).number };
                Self::spawn(job, created, number);
            }
        }
        team.in_use.set(team.in_use.get() - (size - 1));
        state().omp.give_back(&threads[1..]);
    }

    fn spawn(job: Box<Job>, created: SiteId, number: u32) {
        let task = Task {
            parent: detector().current(),
            created,
            role: Role::Thread(number),
            thread: job.thread,
            asked: job.parted.is_some_and(|(_, asked)| asked),
            scope: ScopeId::PROGRAM,
            detached: false,
            awaited: false,
            serial: 0,
        };
        detector().next = Some(task);
        let mut job = job;
        let parted = job.parted.take();
        let (mut job, mut now) = (Some(job), TaskId::MAIN);
        wait(|kernel| kernel.spawn(SiteId(0), |_| JobSlot(job.take())).map(|task| now = task));
        if let Some((parted, _)) = parted {
            let locks = detector().rejoin(parted, now);
            kernel().give_held(now, &locks);
        }
    }
}

/// A thread beside a team of one, for its deferred tasks: libomp's hidden helper. To what it runs
/// it is an initial thread, with thread-local storage of its own.
pub(crate) fn helper() -> &'static mut Thread {
    if state().omp.helper.is_null() {
        let virtual_thread = state().omp.take_thread();
        let team = Box::leak(Box::new(Team::new(1, std::ptr::null_mut(), &[virtual_thread])));
        let pointer: *mut Team = team;
        team.threads[0].team = pointer;
        state().omp.helper = pointer;
    }
    // SAFETY: leaked above; one function at a time looks.
    let team = unsafe { &mut *state().omp.helper };
    &mut team.threads[0]
}

impl Omp {
    /// A virtual thread for a team, the same ones again for regions that follow each other.
    pub(crate) fn take_thread(&mut self) -> u32 {
        let thread = self.idle.pop().unwrap_or_else(|| {
            self.known += 1;
            self.known - 1
        });
        if !process::state().threads.has(thread)
            && let Err(error) = add_storage(thread)
        {
            crate::fatal(&format!(
                "no storage for another virtual thread ({error}): ask for fewer threads, or raise the limit on threads \
                 (ulimit -u)"
            ));
        }
        thread
    }

    /// A virtual thread for a thread that the program creates: with a number that no other had, so
    /// that nobody takes the two for one, and fresh storage.
    pub(crate) fn take_fresh_thread(&mut self) -> std::io::Result<u32> {
        add_storage(self.known)?;
        self.known += 1;
        Ok(self.known - 1)
    }

    /// A thread that the program has created is over, and joined: its storage goes.
    pub(crate) fn end_thread(&self, thread: u32) {
        detector().forget_private(thread);
        process::state().threads.end(thread);
    }

    fn give_back(&mut self, threads: &[u32]) {
        self.idle.extend(threads);
        self.idle.sort_unstable_by(|a, b| b.cmp(a));
    }
}

/// Makes storage for a virtual thread.
fn add_storage(thread: u32) -> std::io::Result<()> {
    process::state().threads.add(thread)?;
    let (from, to) = process::state().threads.storage(thread);
    detector().private(from, to, thread);
    explorer::thread(from, to, thread);
    Ok(())
}

/// Waits for all threads of the team.
pub(crate) fn barrier() {
    if team().size <= 1 {
        if sched::job().is_some() && team().level > 0 {
            wait(|kernel| kernel.finish_end());
            scope().end_group();
            wait(|kernel| kernel.finish_begin().map(drop));
            scope().begin_group();
            scope().forget_children();
        } else if !scope().children.is_empty() {
            // Outside of any region, deferred tasks are all there is to wait for.
            explicit::taskwait();
        }
        return;
    }
    crate::tasks::loops::leave();
    scope().end();
    sched::barrier();
}
