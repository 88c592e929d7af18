// A lock by test-and-set, in three threads.
// expect: race-free all-schedules
// run: race-free
// executions: 60
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

atomic_flag lock = ATOMIC_FLAG_INIT;
int counter;

static void *count(void *unused) {
  while (atomic_flag_test_and_set_explicit(&lock, memory_order_acquire))
    ;
  counter++;
  atomic_flag_clear_explicit(&lock, memory_order_release);
  return unused;
}

int main(void) {
  pthread_t a, b;
  pthread_create(&a, 0, count, 0);
  pthread_create(&b, 0, count, 0);
  count(0);
  pthread_join(a, 0);
  pthread_join(b, 0);
  assert(counter == 3);
}
