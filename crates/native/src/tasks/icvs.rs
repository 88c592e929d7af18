//! The internal control variables of the running task: its own once it has set one, which the tasks and regions it creates inherit;
//! those of the environment until then.

use crate::process::openmp::Icvs;
use crate::tasks::omp::{Omp, scope, team};
use crate::tasks::state;
use std::rc::Rc;

/// Those of the running task.
pub(crate) fn icvs() -> Icvs {
    let own = scope().icvs.as_deref().copied();
    own.unwrap_or_else(|| state().omp.environment.at(team().level))
}

/// The running task sets one of its own.
pub(crate) fn set(change: impl FnOnce(&mut Icvs)) {
    let mut now = icvs();
    change(&mut now);
    scope().icvs = Some(Rc::new(now));
}

impl Omp {
    /// What a thread of a team at `level` begins with, if the task that forms the team has values of its own: OMP_NUM_THREADS may
    /// say another size for the teams inside.
    pub(crate) fn inherited(&self, own: &Option<Rc<Icvs>>, level: u32) -> Option<Rc<Icvs>> {
        let own = own.as_ref()?;
        match self.environment.threads_at(level) {
            Some(threads) if threads != own.threads => Some(Rc::new(Icvs { threads, ..**own })),
            _ => Some(own.clone()),
        }
    }
}
