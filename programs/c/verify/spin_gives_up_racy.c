// A thread looks for a flag three times and then goes on without it. The loop counts, so it is no wait.
// expect: race
// run: race-free
// executions: 1
#include <pthread.h>
#include <stdatomic.h>

atomic_int ready;
int value;

static void *make(void *unused) {
  value = 7; //~ race value #1
  atomic_store(&ready, 1);
  return unused;
}

int main(void) {
  pthread_t thread;
  pthread_create(&thread, 0, make, 0);
  for (int tries = 0; tries < 3; tries++)
    if (atomic_load(&ready))
      break;
  int seen = value; //~ race value #1
  pthread_join(thread, 0);
  return seen > 7;
}
