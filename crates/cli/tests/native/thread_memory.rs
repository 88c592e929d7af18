//! The memory of programs with threads does not grow with what they have done: neither with locks
//! that a thread finds free, nor with bytes that several places in the program write in turn.

use crate::common::command::{Folder, finish_within};
use crate::native::toolchain::compile;
use std::process::{Command, Stdio};
use std::time::Duration;

/// `operate` is what each of two threads does, so many times; prints the most memory that was
/// resident, in kilobytes.
const THREADS: &str = r#"
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <pthread.h>
#include <semaphore.h>
#include <shared_mutex>
#include <thread>
static long cells[64];
static void operate(long i);
int main(int, char **arguments) {
  long count = atol(arguments[1]);
  auto work = [=] { for (long i = 0; i < count; i++) operate(i); };
  std::thread one(work), other(work);
  one.join(), other.join();
  char line[256];
  long peak = -1;
  FILE *status = fopen("/proc/self/status", "r");
  while (fgets(line, sizeof line, status))
    sscanf(line, "VmHWM: %ld", &peak);
  printf("%ld\n", peak);
}
"#;

/// The peak of a program, in kilobytes.
fn peak(folder: &Folder, name: &str, operate: &str, count: u64) -> u64 {
    let source = folder.write(&format!("{name}.cpp"), format!("{THREADS}{operate}"));
    let program = folder.path(name);
    compile(&source, "-O1", &["-pthread".to_owned(), "-std=c++17".to_owned()], &program)
        .expect("it compiles");
    let mut command = Command::new(&program);
    command.arg(count.to_string()).env_remove("RACEPROOF_OPTIONS");
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    let done = finish_within(&mut command, Duration::from_secs(60)).expect("it runs").expect_status(0);
    done.stdout.trim().parse().expect("a number")
}

#[test]
fn locks_that_are_free_take_no_memory_for_each_time() {
    let folder = Folder::new("thread-memory");
    for (name, operate) in [
        (
            "mutexes",
            "std::mutex m[16];
             void operate(long i) { std::lock_guard<std::mutex> g(m[i % 16]); cells[i % 16]++; }",
        ),
        (
            "rwlock",
            "std::shared_mutex m; void operate(long i) {
               if (i % 4) { std::shared_lock<std::shared_mutex> g(m); if (cells[i % 64] < 0) abort(); }
               else { std::unique_lock<std::shared_mutex> g(m); cells[i % 64]++; } }",
        ),
        (
            "semaphore",
            "struct S { sem_t s; S() { sem_init(&s, 0, 1); } } s;
             void operate(long i) { sem_wait(&s.s); cells[i % 64]++; sem_post(&s.s); }",
        ),
        (
            "exchange",
            "std::atomic<int> a;
             void operate(long i) { while (a.exchange(1)) {} cells[i % 64]++; a.store(0); }",
        ),
    ] {
        let [few, many] = [2_000, 200_000].map(|count| peak(&folder, name, operate, count));
        println!("{name}: {few} KB, {many} KB");
        assert!(many < few + (10 << 10), "{name}: {few} KB for 2000 operations, {many} KB for 200000");
    }
}

#[test]
fn bytes_of_several_places_take_little_memory() {
    let folder = Folder::new("byte-memory");
    // Each word has bytes of two or three places, those of each thread; 4 MB in all.
    let operate =
        "static unsigned char bytes[2][2 << 20]; static thread_local int own = -1; std::atomic<int> next;
        void operate(long i) {
          if (own < 0) own = next++;
          unsigned char *at = bytes[own];
          if (i * 2654435761u >> 3 & 1) at[i] = 1;
          else if (i & 4) at[i] = 2;
          else at[i]++;
        }";
    let [few, many] = [1_000, 2 << 20].map(|count| peak(&folder, "bytes", operate, count));
    println!("{few} KB, {many} KB");
    // Beside the bytes themselves two of shadow memory for each.
    assert!(many < few + (20 << 10), "{few} KB for 1000 bytes, {many} KB for 4 MB");
}
