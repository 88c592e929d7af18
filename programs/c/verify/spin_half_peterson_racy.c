// Peterson's mutual exclusion without the turn: each waits for the other's flag, and sets its own too late.
// expect: race
// run: race-free
// executions: 3
#include <pthread.h>
#include <stdatomic.h>

atomic_int inside[2];
int counter;

static void count(int own) {
  while (atomic_load(&inside[1 - own]))
    ;
  atomic_store(&inside[own], 1);
  counter++; //~ race counter #1
  atomic_store(&inside[own], 0);
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
}
