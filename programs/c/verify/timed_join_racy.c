// The program goes on if a thread has not ended in time, as if it had.
// expect: race
// run: race-free
// executions: 1
#define _GNU_SOURCE
#include <pthread.h>
#include <time.h>

int x;

static void *work(void *unused) {
  x = 1; //~ race x #1
  return unused;
}

int main(void) {
  pthread_t thread;
  struct timespec late;
  clock_gettime(CLOCK_REALTIME, &late);
  late.tv_sec += 3600;
  pthread_create(&thread, 0, work, 0);
  pthread_timedjoin_np(thread, 0, &late);
  return x > 1; //~ race x #1
}
