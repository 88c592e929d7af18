// A call of `pthread_once` orders two writes, but only in the schedules where the first of them comes before it.
// expect: race
// run: race-free
// executions: 1
#include <pthread.h>

pthread_once_t once = PTHREAD_ONCE_INIT;
int x;

static void nothing(void) {}

static void *first(void *unused) {
  x = 1; //~ race x #1
  pthread_once(&once, nothing);
  return unused;
}

int main(void) {
  pthread_t thread;
  pthread_create(&thread, 0, first, 0);
  pthread_once(&once, nothing);
  x = 2; //~ race x #1
  pthread_join(thread, 0);
}
