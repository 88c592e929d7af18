//! The calls that have not returned, of all tasks: a list for each task through one table.
//!
//! A million tasks can be live at once and most of them are in no call: a list costs a task 8
//! bytes, and a call allocates nothing.

const NONE: u32 = u32::MAX;

/// Where a call goes back to.
#[derive(Clone, Copy, Debug)]
pub(super) struct Caller {
    /// One past the call.
    pub(super) pc: u32,
    pub(super) base: u32,
    pub(super) unit: u32,
}

/// The calls of one task, to be looked up in [`Calls`].
#[derive(Debug)]
pub(super) struct CallList {
    innermost: u32,
    len: u32,
}

impl CallList {
    pub(super) const EMPTY: CallList = CallList { innermost: NONE, len: 0 };

    pub(super) fn len(&self) -> usize {
        self.len as usize
    }
}

/// See the module.
#[derive(Debug)]
pub(super) struct Calls {
    /// Each caller, and that of the call around it; free entries are a list as well.
    all: Vec<(Caller, u32)>,
    free: u32,
}

impl Default for Calls {
    fn default() -> Self {
        Calls { all: Vec::new(), free: NONE }
    }
}

impl Calls {
    #[inline]
    pub(super) fn push(&mut self, list: &mut CallList, caller: Caller) {
        let entry = (caller, list.innermost);
        if self.free == NONE {
            list.innermost = self.all.len() as u32;
            self.all.push(entry);
        } else {
            list.innermost = self.free;
            self.free = std::mem::replace(&mut self.all[self.free as usize], entry).1;
        }
        list.len += 1;
    }

    #[inline]
    pub(super) fn pop(&mut self, list: &mut CallList) -> Option<Caller> {
        if list.innermost == NONE {
            return None;
        }
        let at = std::mem::replace(&mut self.free, list.innermost);
        let (caller, outer) = &mut self.all[list.innermost as usize];
        list.innermost = std::mem::replace(outer, at);
        list.len -= 1;
        Some(*caller)
    }

    /// Innermost first.
    pub(super) fn iter(&self, list: &CallList) -> impl Iterator<Item = Caller> + use<'_> {
        let mut at = list.innermost;
        std::iter::from_fn(move || {
            let &(caller, outer) = self.all.get(at as usize)?;
            at = outer;
            Some(caller)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_are_stacks_of_their_own() {
        let mut calls = Calls::default();
        let mut lists = [CallList::EMPTY, CallList::EMPTY, CallList::EMPTY];
        let mut plain = [const { Vec::new() }; 3];
        for at in 0..1000u32 {
            let which = (at * at / 7 % 3) as usize;
            if at % 5 < 3 {
                calls.push(&mut lists[which], Caller { pc: at, base: 0, unit: 0 });
                plain[which].push(at);
            } else {
                assert_eq!(calls.pop(&mut lists[which]).map(|caller| caller.pc), plain[which].pop());
            }
            for (list, plain) in lists.iter().zip(&plain) {
                assert_eq!(list.len(), plain.len());
                assert!(calls.iter(list).map(|caller| caller.pc).eq(plain.iter().rev().copied()));
            }
        }
        let live: usize = plain.iter().map(Vec::len).sum();
        assert!(calls.all.len() < live + 10, "entries are used again");
    }
}
