//! Runs the threads that its argument describes, in the words of `crates/cli/tests/support/native/threads.c`, with what Rust's standard library has:
//! `l0` and `u0` are of a `Mutex`, `t0{…}` tries one, `R0`, `W0` and `U0` are of an `RwLock`, `p0` and `v0` of a semaphore made of a `Mutex` and a
//! `Condvar`, `b` waits at a `Barrier` of two, `c` waits once at a `Condvar`, `s` and `a` notify, `z0` raises a flag and `Z0` spins until it is up.
//!
//! `crates/cli/tests/rayon/threads_generated.rs` makes the words, and has an oracle for them.

use corpus::Shared;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Barrier, Condvar, LazyLock, Mutex, MutexGuard, RwLock, RwLockReadGuard, RwLockWriteGuard};
use std::thread;

static X0: Shared<u32> = Shared::new(0);
static X1: Shared<u32> = Shared::new(0);
static X2: Shared<u32> = Shared::new(0);
static MUTEXES: [Mutex<()>; 2] = [const { Mutex::new(()) }; 2];
static LOCKS: [RwLock<()>; 2] = [const { RwLock::new(()) }; 2];
static SEMAPHORES: [(Mutex<u32>, Condvar); 2] =
    [(Mutex::new(0), Condvar::new()), (Mutex::new(1), Condvar::new())];
static AROUND: Mutex<()> = Mutex::new(());
static CONDITION: Condvar = Condvar::new();
static BARRIER: LazyLock<Barrier> = LazyLock::new(|| Barrier::new(2));
static FLAGS: [AtomicBool; 2] = [const { AtomicBool::new(false) }; 2];

/// What a thread holds of each lock.
#[derive(Default)]
struct Held {
    mutexes: [Option<MutexGuard<'static, ()>>; 2],
    readers: [Option<RwLockReadGuard<'static, ()>>; 2],
    writers: [Option<RwLockWriteGuard<'static, ()>>; 2],
}

fn read(n: usize) {
    // Each variable has places of its own in the program.
    drop(match n {
        0 => unsafe { X0.at().read_volatile() },
        1 => unsafe { X1.at().read_volatile() },
        _ => unsafe { X2.at().read_volatile() },
    });
}

fn write(n: usize) {
    match n {
        0 => unsafe { X0.at().write_volatile(1) },
        1 => unsafe { X1.at().write_volatile(1) },
        _ => unsafe { X2.at().write_volatile(1) },
    }
}

fn spin(n: usize) {
    while !FLAGS[n].load(Ordering::Acquire) {
        if n == 1 {
            thread::yield_now();
        }
    }
}

/// Runs the words up to the end of the thread or of a section; what follows them.
fn run<'a>(mut text: &'a [u8], held: &mut Held) -> &'a [u8] {
    while let [what, rest @ ..] = text {
        let (n, rest) = match rest {
            [digit, rest @ ..] if digit.is_ascii_digit() => (usize::from(digit - b'0'), rest),
            _ => (0, rest),
        };
        text = rest;
        match what {
            b'r' => read(n),
            b'w' => write(n),
            b'l' => held.mutexes[n] = Some(MUTEXES[n].lock().unwrap()),
            b'u' => held.mutexes[n] = None,
            b't' => match MUTEXES[n].try_lock() {
                Ok(_guard) => text = run(&text[1..], held),
                Err(_) => text = &text[1 + text.iter().position(|&letter| letter == b'}').unwrap()..],
            },
            b'}' => return text,
            b'R' => held.readers[n] = Some(LOCKS[n].read().unwrap()),
            b'W' => held.writers[n] = Some(LOCKS[n].write().unwrap()),
            b'U' => (held.readers[n], held.writers[n]) = (None, None),
            b'p' => {
                let (count, changed) = &SEMAPHORES[n];
                *changed.wait_while(count.lock().unwrap(), |count| *count == 0).unwrap() -= 1;
            }
            b'v' => {
                let (count, changed) = &SEMAPHORES[n];
                *count.lock().unwrap() += 1;
                changed.notify_one();
            }
            b'z' => FLAGS[n].store(true, Ordering::Release),
            b'Z' => spin(n),
            b'b' => drop(BARRIER.wait()),
            b'c' => drop(CONDITION.wait(AROUND.lock().unwrap()).unwrap()),
            b's' => CONDITION.notify_one(),
            b'a' => CONDITION.notify_all(),
            _ => panic!("an unknown word"),
        }
    }
    text
}

fn main() {
    let text = std::env::args().nth(1).unwrap_or_default();
    LazyLock::force(&BARRIER);
    let (own, others) = text.split_once('/').unwrap_or((&text, ""));
    let others: Vec<String> = others.split('/').map(str::to_owned).collect();
    let start = |other: String| thread::spawn(move || drop(run(other.as_bytes(), &mut Held::default()).len()));
    let threads: Vec<_> = others.into_iter().map(start).collect();
    run(own.as_bytes(), &mut Held::default());
    threads.into_iter().for_each(|thread| thread.join().unwrap());
}
