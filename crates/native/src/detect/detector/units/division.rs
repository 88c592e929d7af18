//! How the standard divides a loop among the threads of a team, for every size of the team.

/// The iterations of a loop that a thread executes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Share {
    /// The loop variable of the first iteration of the whole loop, as the compiler counts, and the
    /// distance to the next.
    pub(crate) first: i64,
    pub(crate) by: i64,
    pub(crate) division: Division,
    pub(crate) is_sections: bool,
    /// Whether the compiler marks iterations. Otherwise they are one unit.
    pub(crate) is_marked: bool,
}

/// How the standard divides a loop.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Division {
    /// `static`: contiguous chunks of about the same size, at most one for each thread. Two loops
    /// of as many iterations are divided in the same way.
    Even { count: u64 },
    /// `static, chunk`: chunks dealt to the threads in turn.
    Dealt { chunk: u64 },
    /// Any thread may execute any iteration: sections; `auto`; `guided`, of which the first so many
    /// stay together.
    Any { together: u64 },
}

/// The sizes that a team may have.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Sizes {
    All,
    /// The program asks for so many, and lets the implementation choose fewer, but no less than
    /// the first.
    Between(u32, u32),
    /// The program has set or queried the size, and may depend on it.
    Only(u32),
}

impl Sizes {
    /// Whether something holds for every size that leaves room for a thread with this number.
    /// `forever` says whether it does for all sizes there are.
    pub(super) fn all(self, number: u32, forever: bool, mut holds: impl FnMut(u64) -> bool) -> bool {
        match self {
            Sizes::All => forever,
            Sizes::Between(least, most) => (least.max(number + 1)..=most).all(|size| holds(u64::from(size))),
            Sizes::Only(size) => holds(u64::from(size)),
        }
    }

    /// Whether each gives this chunk, of a loop whose chunks are dealt in turn, to the thread with
    /// this number.
    pub(super) fn give(self, chunk: u64, number: u32) -> bool {
        let thread = u64::from(number);
        self.all(number, chunk == thread, |size| chunk % size == thread)
    }
}

impl Share {
    /// The iteration, or the chunk if the schedule keeps some together, by the loop variable.
    pub(super) fn unit(&self, variable: i64) -> u64 {
        self.unit_of(self.iteration(variable))
    }

    #[inline(always)]
    pub(super) fn iteration(&self, variable: i64) -> u64 {
        let distance = variable.wrapping_sub(self.first);
        // Neither division panics: a call would cost every iteration a register to save.
        if self.by == 1 { distance as u64 } else { distance.checked_div(self.by).unwrap_or(0) as u64 }
    }

    pub(super) fn unit_of(&self, iteration: u64) -> u64 {
        match self.division {
            Division::Even { .. } => iteration,
            Division::Dealt { chunk } => iteration.checked_div(chunk).unwrap_or(iteration),
            Division::Any { together } => (iteration + 1).saturating_sub(together),
        }
    }
}

/// Whether a division of so many iterations into contiguous parts of about the same size leaves two
/// of them together: both as even as possible, and all but the last of one size.
pub(super) fn are_in_one_part(a: u64, b: u64, count: u64, parts: u64) -> bool {
    let (small, extra) = (count / parts, count % parts);
    let even = |iteration: u64| {
        let of_large = extra * (small + 1);
        if iteration < of_large {
            iteration / (small + 1)
        } else {
            extra + (iteration - of_large) / small.max(1)
        }
    };
    let large = count.div_ceil(parts).max(1);
    even(a) == even(b) && a / large == b / large
}
