// A thread waits for a flag by looking at it again and again.
// expect: race-free all-schedules
// run: race-free
// executions: 2
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

atomic_int ready;
int value;

static void *make(void *unused) {
  value = 7;
  atomic_store_explicit(&ready, 1, memory_order_release);
  return unused;
}

int main(void) {
  pthread_t thread;
  pthread_create(&thread, 0, make, 0);
  while (!atomic_load_explicit(&ready, memory_order_acquire))
    ;
  assert(value == 7);
  pthread_join(thread, 0);
}
