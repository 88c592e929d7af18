// Peterson's mutual exclusion of two threads: each waits by looking at two variables.
// expect: race-free all-schedules
// run: race-free
// executions: 12
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

atomic_int wants[2], turn;
int counter;

static void count(int own) {
  int other = 1 - own;
  atomic_store(&wants[own], 1);
  atomic_store(&turn, other);
  while (atomic_load(&wants[other]) && atomic_load(&turn) == other)
    ;
  counter++;
  atomic_store(&wants[own], 0);
}

static void *second(void *unused) {
  count(1);
  return unused;
}

int main(void) {
  pthread_t thread;
  pthread_create(&thread, 0, second, 0);
  count(0);
  pthread_join(thread, 0);
  assert(counter == 2);
}
