//! A piece of advice: what to change, in words and, where it can be, as edits.
//!
//! A fix is what a test has applied: each template that gives one is in [`Template::ALL`], and the
//! tests named `advice` apply every one of them to a program it was given for. The result is
//! race-free and computes what the race-free version computes. All other advice is a hint.

use super::edit::Edit;

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Template {
    // OpenMP.
    Reduction,
    Atomic,
    AtomicToo,
    Critical,
    CriticalToo,
    LockToo,
    SameCritical,
    Barrier,
    BarrierInLoop,
    Nowait,
    Single,
    Private,
    Lastprivate,
    Firstprivate,
    Ordered,
    OneSection,
    Depend,
    DependInout,
    Taskwait,
    Taskgroup,
    NoSimd,
    // TP.
    Finish,
    FinishOver,
    Get,
    Promise,
    Isolated,
    IsolatedToo,
    WithToo,
    SameLock,
    // Rust: rewrites, shown by a program beside the one they are for.
    ParReduce,
    ParCollect,
    ParOwnCells,
    RustAtomic,
    RustMutex,
    RustOrder,
    RustScope,
    // HClib.
    PutLater,
    FinishAround,
    // Threads.
    SetLater,
    /// Advice that no test can apply.
    Hint,
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Language {
    OpenMp,
    Tp,
    Rust,
    Hclib,
    Threads,
}

impl Template {
    /// Those that are fixes.
    pub const ALL: [Template; 39] = [
        Template::Reduction,
        Template::Atomic,
        Template::AtomicToo,
        Template::Critical,
        Template::CriticalToo,
        Template::LockToo,
        Template::SameCritical,
        Template::Barrier,
        Template::BarrierInLoop,
        Template::Nowait,
        Template::Single,
        Template::Private,
        Template::Lastprivate,
        Template::Firstprivate,
        Template::Ordered,
        Template::OneSection,
        Template::Depend,
        Template::DependInout,
        Template::Taskwait,
        Template::Taskgroup,
        Template::NoSimd,
        Template::Finish,
        Template::FinishOver,
        Template::Get,
        Template::Promise,
        Template::Isolated,
        Template::IsolatedToo,
        Template::WithToo,
        Template::SameLock,
        Template::ParReduce,
        Template::ParCollect,
        Template::ParOwnCells,
        Template::RustAtomic,
        Template::RustMutex,
        Template::RustOrder,
        Template::RustScope,
        Template::PutLater,
        Template::FinishAround,
        Template::SetLater,
    ];

    /// The language of the programs it is for; none for a hint, which is for all.
    pub fn language(self) -> Option<Language> {
        use Template as T;
        match self {
            T::Hint => None,
            T::Finish
            | T::FinishOver
            | T::Get
            | T::Promise
            | T::Isolated
            | T::IsolatedToo
            | T::WithToo
            | T::SameLock => Some(Language::Tp),
            T::ParReduce
            | T::ParCollect
            | T::ParOwnCells
            | T::RustAtomic
            | T::RustMutex
            | T::RustOrder
            | T::RustScope => Some(Language::Rust),
            T::PutLater | T::FinishAround => Some(Language::Hclib),
            T::SetLater => Some(Language::Threads),
            _ => Some(Language::OpenMp),
        }
    }

    /// A stable name: `par-reduce`.
    pub fn name(self) -> String {
        let mut name = String::new();
        for c in format!("{self:?}").chars() {
            if c.is_uppercase() && !name.is_empty() {
                name.push('-');
            }
            name.push(c.to_ascii_lowercase());
        }
        name
    }
}

/// One way to mend a race.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Fix {
    pub template: Template,
    /// What to do, without a full stop.
    pub text: String,
    /// What only the programmer knows and the fix needs: `either order will do`.
    pub condition: Option<&'static str>,
    /// What to change; empty for a hint, and for a rewrite.
    pub edits: Vec<Edit>,
}

/// Both orders of the accesses are right.
pub(super) const EITHER_ORDER: &str = "either order will do";
/// The value of one is none of the other's business.
pub(super) const ITS_OWN: &str = "each should have its own";

impl Fix {
    pub(super) fn new(template: Template, text: impl Into<String>, edits: Vec<Edit>) -> Fix {
        let mut edits = edits;
        edits.sort();
        edits.dedup();
        Fix { template, text: text.into(), condition: None, edits }
    }

    pub(super) fn hint(text: impl Into<String>) -> Fix {
        Fix { template: Template::Hint, text: text.into(), condition: None, edits: Vec::new() }
    }

    #[must_use]
    pub(super) fn only_if(mut self, condition: &'static str) -> Fix {
        self.condition = Some(condition);
        self
    }

    pub fn is_hint(&self) -> bool {
        self.template == Template::Hint
    }

    /// The text, with its condition.
    pub fn sentence(&self) -> String {
        match self.condition {
            Some(condition) => format!("if {condition}, {}", self.text),
            None => self.text.clone(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_template_but_the_hint_is_listed_once() {
        let all = Template::ALL;
        assert!(all.iter().all(|template| template.language().is_some()));
        assert!(all.windows(2).all(|pair| pair[0] < pair[1]), "in the order of the enum");
        assert_eq!(all.len(), Template::Hint as usize);
        assert_eq!(Template::ParReduce.name(), "par-reduce");
    }
}
