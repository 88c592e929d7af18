//! The entry points of worksharing loops ([`loops`]), one set for each type of loop variable.

use super::{Loc, entry, is_sections};
use crate::detect::detector::Share;
use crate::tasks::loops::{
    self, DISTRIBUTE, DISTRIBUTE_CHUNKED, MODIFIERS, STATIC_BALANCED_CHUNKED, STATIC_CHUNKED, begin,
    begin_share, division, iterations, next, part, share, turned,
};
use crate::tasks::omp::{team, thread};
use crate::tasks::units;

macro_rules! loops {
    ($($int:ident, $signed:ident: $init:ident $init_here:ident, $dist_init:ident, $next:ident, $fini:ident,
        $static_init:ident $static_init_here:ident, $team_static_init:ident, $dist_static_init:ident $dist_static_init_here:ident;)*) => { $(
        entry! {
            $init => $init_here;
            $static_init => $static_init_here;
            $dist_static_init => $dist_static_init_here;
        }

        extern "C" fn $init_here(_: Loc, _: i32, schedule: i32, lower: $int, upper: $int, stride: $signed, chunk: $signed) {
            begin(schedule, lower as i128, upper as i128, stride as i128, chunk as i128);
        }

        /// The part of a distributed loop that is this team's.
        ///
        /// # Safety
        /// `last` is the compiler's own variable, or null.
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $dist_init(
            _: Loc, _: i32, schedule: i32, last: *mut i32, lower: $int, upper: $int, stride: $signed, chunk: $signed,
        ) {
            let (own, of) = team().league;
            let count = iterations(lower as i128, upper as i128, stride as i128);
            let (from, to) = part(count, u64::from(own), u64::from(of));
            // SAFETY: the compiler passes a variable of its own, or null.
            if let Some(last) = unsafe { last.as_mut() } {
                *last = i32::from(to == count && from < to);
            }
            let at = |iteration: i128| lower as i128 + iteration * stride as i128;
            begin(schedule, at(from as i128), at(to as i128 - 1), stride as i128, chunk as i128);
        }

        /// The next chunk for this thread: 1 and its bounds, or 0.
        ///
        /// # Safety
        /// The pointers are the compiler's own variables.
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $next(
            _: Loc, _: i32, last: *mut i32, lower: *mut $int, upper: *mut $int, stride: *mut $signed,
        ) -> i32 {
            let Some(cursor) = thread().dispatch.last() else { return 0 };
            let (first, by) = (cursor.first, cursor.stride);
            let Some((from, to, is_last)) = next() else { return 0 };
            // SAFETY: the compiler passes variables of its own, `stride` and `last` perhaps null.
            unsafe {
                *lower = (first + from as i128 * by) as $int;
                *upper = (first + (to as i128 - 1) * by) as $int;
                if let Some(stride) = stride.as_mut() {
                    *stride = by as $signed;
                }
                if let Some(last) = last.as_mut() {
                    *last = i32::from(is_last);
                }
            }
            1
        }

        /// The end of an iteration of an ordered loop.
        #[unsafe(no_mangle)]
        pub extern "C" fn $fini(_: Loc, _: i32) {
            loops::end_of_iteration();
        }

        /// The iterations of a static schedule that are this thread's, or, of a distributed loop,
        /// this team's.
        ///
        /// # Safety
        /// The pointers are the compiler's own variables, the position its own constant.
        unsafe extern "C" fn $static_init_here(
            at: Loc, _: i32, schedule: i32, last: *mut i32, lower: *mut $int, upper: *mut $int, stride: *mut $signed,
            by: $signed, chunk: $signed,
        ) {
            let schedule = schedule & !MODIFIERS;
            let (own, of) = match schedule {
                DISTRIBUTE | DISTRIBUTE_CHUNKED => team().league,
                _ => (thread().number, team().size),
            };
            let chunked = matches!(schedule, STATIC_CHUNKED | DISTRIBUTE_CHUNKED | STATIC_BALANCED_CHUNKED);
            // SAFETY: the compiler passes four variables of its own, of which only `last` may be
            // null.
            let (lower, upper, stride, last) = unsafe { (&mut *lower, &mut *upper, &mut *stride, last.as_mut()) };
            let first = *lower as i128;
            // SAFETY: the compiler passes the location of the construct, or null.
            let sections = unsafe { is_sections(at) };
            let chunk = chunked.then_some(chunk as i128);
            let unit = match sections {
                true => Share::of_sections(first, by as i128),
                false => Share::of_loop(first, by as i128, division(first, *upper as i128, by as i128, chunk)),
            };
            let distributes = matches!(schedule, DISTRIBUTE | DISTRIBUTE_CHUNKED);
            begin_share(unit, distributes);
            let share = share(first, *upper as i128, by as i128, chunk, turned(own, of, distributes, unit.division), of);
            *lower = share.lower as $int;
            *upper = share.upper as $int;
            *stride = share.stride as $signed;
            if let Some(last) = last {
                *last = i32::from(share.last);
            }
        }

        /// The chunks of a distributed loop that are this team's.
        ///
        /// # Safety
        /// The pointers are the compiler's own variables.
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $team_static_init(
            _: Loc, _: i32, last: *mut i32, lower: *mut $int, upper: *mut $int, stride: *mut $signed, by: $signed, chunk: $signed,
        ) {
            let (own, of) = team().league;
            // SAFETY: the compiler passes four variables of its own, of which only `last` may be
            // null.
            let (lower, upper, stride, last) = unsafe { (&mut *lower, &mut *upper, &mut *stride, last.as_mut()) };
            let share = share(*lower as i128, *upper as i128, by as i128, Some((chunk as i128).max(1)), own, of);
            *lower = share.lower as $int;
            *upper = share.upper as $int;
            *stride = share.stride as $signed;
            if let Some(last) = last {
                *last = i32::from(share.last);
            }
        }

        /// `distribute parallel for`: the team's iterations, and of these the thread's.
        ///
        /// # Safety
        /// The pointers are the compiler's own variables.
        unsafe extern "C" fn $dist_static_init_here(
            _: Loc, _: i32, schedule: i32, last: *mut i32, lower: *mut $int, upper: *mut $int, upper_of_team: *mut $int,
            stride: *mut $signed, by: $signed, chunk: $signed,
        ) {
            // SAFETY: the compiler passes four variables of its own, of which only `last` may be
            // null.
            let (lower, upper, stride, last) = unsafe { (&mut *lower, &mut *upper, &mut *stride, last.as_mut()) };
            let (own, of) = team().league;
            let teams = share(*lower as i128, *upper as i128, by as i128, None, own, of);
            // SAFETY: the compiler passes a fifth variable of its own.
            unsafe { *upper_of_team = teams.upper as $int };
            let chunked = (schedule & !MODIFIERS) == STATIC_CHUNKED;
            let chunk = chunked.then_some(chunk as i128);
            let division = division(teams.lower, teams.upper, by as i128, chunk);
            let own = share(teams.lower, teams.upper, by as i128, chunk, thread().number, team().size);
            begin_share(Share::of_loop(teams.lower, by as i128, division), false);
            *lower = own.lower as $int;
            *upper = own.upper as $int;
            *stride = own.stride as $signed;
            if let Some(last) = last {
                *last = i32::from(teams.last && own.last);
            }
        }
    )* };
}

loops! {
    i32, i32: __kmpc_dispatch_init_4 dispatch_init_4, __kmpc_dist_dispatch_init_4, __kmpc_dispatch_next_4, __kmpc_dispatch_fini_4,
        __kmpc_for_static_init_4 static_init_4, __kmpc_team_static_init_4, __kmpc_dist_for_static_init_4 dist_static_init_4;
    u32, i32: __kmpc_dispatch_init_4u dispatch_init_4u, __kmpc_dist_dispatch_init_4u, __kmpc_dispatch_next_4u, __kmpc_dispatch_fini_4u,
        __kmpc_for_static_init_4u static_init_4u, __kmpc_team_static_init_4u, __kmpc_dist_for_static_init_4u dist_static_init_4u;
    i64, i64: __kmpc_dispatch_init_8 dispatch_init_8, __kmpc_dist_dispatch_init_8, __kmpc_dispatch_next_8, __kmpc_dispatch_fini_8,
        __kmpc_for_static_init_8 static_init_8, __kmpc_team_static_init_8, __kmpc_dist_for_static_init_8 dist_static_init_8;
    u64, i64: __kmpc_dispatch_init_8u dispatch_init_8u, __kmpc_dist_dispatch_init_8u, __kmpc_dispatch_next_8u, __kmpc_dispatch_fini_8u,
        __kmpc_for_static_init_8u static_init_8u, __kmpc_team_static_init_8u, __kmpc_dist_for_static_init_8u dist_static_init_8u;
}

#[unsafe(no_mangle)]
pub extern "C" fn __kmpc_for_static_fini(_: Loc, _: i32) {
    units::end();
}

#[unsafe(no_mangle)]
pub extern "C" fn __kmpc_dispatch_deinit(_: Loc, _: i32) {}

#[unsafe(no_mangle)]
pub extern "C" fn __kmpc_ordered(_: Loc, _: i32) {
    loops::begin_ordered();
}

#[unsafe(no_mangle)]
pub extern "C" fn __kmpc_end_ordered(_: Loc, _: i32) {
    loops::end_ordered();
}
