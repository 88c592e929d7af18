//! Waiting in Rust's standard library, which calls the system for it: `futex`, through the C library's `syscall`.
//!
//! The standard library is not instrumented. The first attempt at a lock, a cell that is set once or a channel is compiled with the program
//! and seen as the atomic operation that it is; what follows if that fails is not. All of it ends here, where a task that would
//! wait lets others go on. One that has waited comes after what was released at the address before, and one that wakes others
//! releases: the operations in between were made where nobody could see them.

use crate::abi::kmpc::{CALLER, caller, entry};
use crate::abi::tsan::{atomic, unseen};
use crate::abi::world;
use crate::abi::world::is_up;
use crate::detect::detector;
use crate::detect::frames;
use crate::process::{self, is_shared};
use crate::search::{self, Bell};
use crate::tasks;
use crate::tasks::sched;
use std::ffi::c_char;
use std::sync::atomic::Ordering;
use std::time::Duration;

entry! { syscall => called; }

/// What the C library's function is given: the numbers of all that the system can do have at most six arguments.
extern "C" fn called(number: i64, a: usize, b: usize, c: usize, d: usize, e: usize, f: usize) -> i64 {
    if number == libc::SYS_futex && is_up() && is_shared() && sched::job().is_some() {
        // The other bits are flags that make no difference to a single thread.
        let operation = b as i32 & !(libc::FUTEX_PRIVATE_FLAG | libc::FUTEX_CLOCK_REALTIME);
        match operation {
            libc::FUTEX_WAIT | libc::FUTEX_WAIT_BITSET => {
                // What the report says of who waits is where the program called the library.
                CALLER.store(frames::of_program(caller()), Ordering::Relaxed);
                let result = wait(a, c as u32, d != 0);
                if result == -i64::from(libc::ETIMEDOUT) {
                    // SAFETY: the program's pointer to the limit, which it passes for this.
                    let limit = unsafe { *(d as *const libc::timespec) };
                    pass_time(limit, b as i32);
                }
                return answer(result);
            }
            libc::FUTEX_WAKE | libc::FUTEX_WAKE_BITSET => return answer(wake(a, c as u32)),
            _ => {}
        }
    }
    match number {
        // There is one thread that can ask for it: the end of it is that of the process.
        libc::SYS_exit | libc::SYS_exit_group => super::_exit(a as i32),
        libc::SYS_execve => super::exec::announce(a as *const c_char),
        libc::SYS_execveat => super::exec::announce(b as *const c_char),
        _ => {}
    }
    let result = process::system_call(number, [a, b, c, d, e, f]);
    if matches!(number, libc::SYS_execve | libc::SYS_execveat) {
        super::exec::renounce();
    }
    answer(result)
}

/// As the C library gives back what the system said.
fn answer(result: i64) -> i64 {
    if !(-4095..0).contains(&result) {
        return result;
    }
    // SAFETY: the running thread's own variable.
    unsafe { *libc::__errno_location() = -result as i32 };
    -1
}

/// Time passes for who has waited as long as it wanted: it may look at the clock, and would wait again, very often, if none had. But not more than a little: if it
/// waits again, some more will.
fn pass_time(limit: libc::timespec, operation: i32) {
    const LITTLE: Duration = Duration::from_millis(10);
    let duration =
        |time: libc::timespec| Duration::new(time.tv_sec.max(0) as u64, time.tv_nsec as u32 % 1_000_000_000);
    let mut left = duration(limit);
    if operation & !(libc::FUTEX_PRIVATE_FLAG | libc::FUTEX_CLOCK_REALTIME) == libc::FUTEX_WAIT_BITSET {
        // The limit is a time of day, or since the system has started.
        let is_of_day = operation & libc::FUTEX_CLOCK_REALTIME != 0;
        let clock = if is_of_day { libc::CLOCK_REALTIME } else { libc::CLOCK_MONOTONIC };
        let mut now = libc::timespec { tv_sec: 0, tv_nsec: 0 };
        // SAFETY: writes the time.
        unsafe { libc::clock_gettime(clock, &mut now) };
        left = left.saturating_sub(duration(now));
    }
    std::thread::sleep(left.min(LITTLE));
}

/// Those who wait at an address, and how many of them were woken and have not gone on yet.
#[derive(Default)]
pub(crate) struct Waiters {
    waiting: u32,
    woken: u32,
}

/// Waits until somebody has changed what is there, or says so.
fn wait(address: usize, expected: u32, has_limit: bool) -> i64 {
    // SAFETY: the program waits for a change of this word, which is there.
    let is_other = || unsafe { (address as *const u32).read_volatile() } != expected;
    if is_other() {
        return -i64::from(libc::EAGAIN);
    }
    detector().exclusive = true;
    waiters(address).waiting += 1;
    let thread = crate::tasks::omp::thread().virtual_thread;
    tasks::state().workers.blocks(thread, Some(detector().identity()));
    let in_time = wait_for(address, has_limit, || is_other() || waiters(address).woken > 0);
    tasks::state().workers.blocks(thread, None);
    let here = waiters(address);
    here.waiting -= 1;
    here.woken = here.woken.saturating_sub(1);
    if here.waiting == 0 {
        world::state().waiters.remove(&address);
    }
    if !in_time {
        return -i64::from(libc::ETIMEDOUT);
    }
    atomic::acquired(address);
    unseen::waited();
    0
}

fn waiters(address: usize) -> &'static mut Waiters {
    world::state().waiters.entry(address).or_default()
}

/// Whether it became so in time.
fn wait_for(address: usize, has_limit: bool, is_so: impl Fn() -> bool) -> bool {
    if has_limit {
        search::unexplored("a task waits with a limit on the time");
        if search::is_on() {
            return false;
        }
        // Time passes when nobody else has anything to do.
        for _ in 0..4 * sched::kernel().tasks().live() + 16 {
            if is_so() {
                break;
            }
            sched::pass();
        }
        // That nobody else got any further meanwhile means nothing.
        tasks::state().idle = 0;
        return is_so();
    }
    sched::wait_until("a lock, a channel or a condition that nobody changes", Bell::of(address), is_so);
    true
}

/// Wakes up to so many; how many there were.
fn wake(address: usize, most: u32) -> i64 {
    detector().exclusive = true;
    atomic::added(address);
    search::ring(Bell::of(address));
    let Some(here) = world::state().waiters.get_mut(&address) else { return 0 };
    let woken = most.min(here.waiting - here.woken);
    here.woken += woken;
    woken.into()
}
