// A thread waits for a flag, and lets others run meanwhile. The flag is set too early, which the first schedule does not show.
// expect: race
// run: race-free
// executions: 2
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

atomic_int begun, ready;
int value;

static void *make(void *unused) {
  atomic_store(&ready, 1);
  if (atomic_load(&begun))
    value = 7; //~ race value #1
  return unused;
}

int main(void) {
  pthread_t thread;
  pthread_create(&thread, 0, make, 0);
  while (!atomic_load(&ready))
    sched_yield();
  atomic_store_explicit(&begun, 1, memory_order_relaxed);
  int seen = value; //~ race value #1
  pthread_join(thread, 0);
  return seen > 7;
}
