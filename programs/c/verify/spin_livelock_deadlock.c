// A thread sets a flag only if it is not told to stop before. Otherwise main spins for ever.
// expect: deadlock
// message: main waits for change up
// run: race-free
// executions: 3
#include <pthread.h>
#include <stdatomic.h>

atomic_int stop, up;

static void *raise_flag(void *unused) {
  if (!atomic_load(&stop))
    atomic_store(&up, 1);
  return unused;
}

int main(void) {
  pthread_t thread;
  pthread_create(&thread, 0, raise_flag, 0);
  atomic_store(&stop, 1);
  while (!atomic_load(&up))
    ;
  pthread_join(thread, 0);
}
