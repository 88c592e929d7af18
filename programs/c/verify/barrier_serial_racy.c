// The last thread at a barrier is told so, and only that one writes. One thread reads without waiting for the other.
// expect: race
// run: race-free
// executions: 1
#include <pthread.h>

pthread_barrier_t barrier;
int x, seen;

static void meet(void) {
  if (pthread_barrier_wait(&barrier) == PTHREAD_BARRIER_SERIAL_THREAD)
    x = 1; //~ race x #1
}

static void *other(void *unused) {
  meet();
  return unused;
}

int main(void) {
  pthread_t thread;
  pthread_barrier_init(&barrier, 0, 2);
  pthread_create(&thread, 0, other, 0);
  meet();
  seen = x; //~ race x #1
  pthread_join(thread, 0);
  return 0;
}
