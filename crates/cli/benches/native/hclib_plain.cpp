// HClib's interface without a detector, on one worker: what the benchmark compares the programs of `programs/c/drdp` with,
// as libomp is for OpenMP. As HClib does, it puts a new task into a deque, from which the worker takes the newest. It does so at
// once, so that tasks run in the order in which raceproof runs them: a branch and bound does the same work in both.

#include "hclib_cpp.h"

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <vector>

namespace {

struct Finish {
  Finish *outer;
  std::atomic<long> tasks{0};
};

struct Task {
  generic_frame_ptr body;
  void *argument;
  Finish *finish;
  std::vector<hclib_future_t *> awaited;
  Task *next;
};

thread_local Finish *current;
thread_local std::vector<Task *> deque;

// The tasks that wait for a promise are a list that begins where the header has the handle and the flag.
struct Promise {
  hclib_future_t future;
  Task *waiting;
  void *datum;
};
Task *const SATISFIED = reinterpret_cast<Task *>(1);
static_assert(sizeof(Promise) == sizeof(hclib_promise_t), "it takes the place of the header's");

Promise *of(hclib_promise_t *promise) { return reinterpret_cast<Promise *>(promise); }

// Puts a task into the deque, or into the list of the first promise that it still has to wait for.
void ready(Task *task) {
  while (!task->awaited.empty()) {
    Promise *promise = of(task->awaited.back()->owner);
    task->awaited.pop_back();
    if (promise->waiting != SATISFIED) {
      task->next = promise->waiting;
      promise->waiting = task;
      return;
    }
  }
  deque.push_back(task);
}

bool run_one() {
  std::atomic_thread_fence(std::memory_order_seq_cst);
  if (deque.empty())
    return false;
  Task *task = deque.back();
  deque.pop_back();
  Finish *before = current;
  current = task->finish;
  task->body(task->argument);
  current->tasks.fetch_sub(1);
  current = before;
  delete task;
  return true;
}

void run_until_done(Finish *finish) {
  while (finish->tasks.load() > 0)
    if (!run_one()) {
      fputs("the plain runtime: tasks wait for ever\n", stderr);
      exit(2);
    }
}

} // namespace

extern "C" {

void hclib_promise_init(hclib_promise_t *promise) {
  Promise *own = of(promise);
  own->future.owner = promise;
  own->waiting = nullptr;
  own->datum = nullptr;
}

void *__raceproof_hclib_room(size_t size) { return malloc(size); }
void __raceproof_hclib_reclaim(void *room) { free(room); }
void __raceproof_hclib_promise_forget(hclib_promise_t *) {}

void hclib_promise_put(hclib_promise_t *promise, void *datum) {
  Promise *own = of(promise);
  own->datum = datum;
  Task *task = own->waiting;
  own->waiting = SATISFIED;
  while (task) {
    Task *next = task->next;
    ready(task);
    task = next;
  }
}

void *hclib_future_wait(hclib_future_t *future) {
  Promise *own = of(future->owner);
  while (own->waiting != SATISFIED)
    if (!run_one())
      exit(2);
  return own->datum;
}

void __raceproof_hclib_start_finish(int) {
  Finish *finish = new Finish();
  finish->outer = current;
  current = finish;
}

void hclib_end_finish(void) {
  Finish *finish = current;
  run_until_done(finish);
  current = finish->outer;
  delete finish;
}

void hclib_launch(async_fct_t body, void *argument, const char **, int) {
  __raceproof_hclib_start_finish(0);
  body(argument);
  hclib_end_finish();
}

void hclib_async(generic_frame_ptr body, void *argument, hclib_future_t **futures, const int count, hclib_locale_t *) {
  Task *task = new Task{body, argument, current, {}, nullptr};
  for (int i = 0; i < count; i++)
    if (futures[i])
      task->awaited.push_back(futures[i]);
  current->tasks.fetch_add(1);
  ready(task);
  run_one();
}

int hclib_get_num_workers(void) { return 1; }
}
