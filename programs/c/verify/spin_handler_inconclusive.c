// A signal handler of the program may set the flag: that nobody else does is no livelock.
// expect: inconclusive
// message: signal handler
// run: race-free
// executions: 1
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>

atomic_int stop, up;

static void handle(int signal) {
  (void)signal;
  atomic_store(&up, 1);
}

static void *raise_flag(void *unused) {
  if (!atomic_load(&stop))
    atomic_store(&up, 1);
  return unused;
}

int main(void) {
  signal(SIGUSR1, handle);
  pthread_t thread;
  pthread_create(&thread, 0, raise_flag, 0);
  atomic_store(&stop, 1);
  while (!atomic_load(&up))
    ;
  pthread_join(thread, 0);
}
