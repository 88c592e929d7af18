// A wait for the end of a thread with a limit ends with the thread; without a limit, or with one that never comes, it waits as any join.
// expect: race-free observed-schedule
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <stdint.h>
#include <time.h>
#include <unistd.h>

int value;

static void *work(void *unused) {
  usleep(2000);
  value++;
  return unused;
}

static void join(int (*how)(pthread_t)) {
  pthread_t thread;
  int before = value;
  pthread_create(&thread, 0, work, 0);
  assert(how(thread) == 0);
  assert(value == before + 1);
}

static int in_an_hour(pthread_t thread) {
  struct timespec late;
  clock_gettime(CLOCK_REALTIME, &late);
  late.tv_sec += 3600;
  return pthread_timedjoin_np(thread, 0, &late);
}

static int without_limit(pthread_t thread) { return pthread_timedjoin_np(thread, 0, 0); }

static int never(pthread_t thread) {
  struct timespec late = {INT64_MAX, 0};
  return pthread_clockjoin_np(thread, 0, CLOCK_MONOTONIC, &late);
}

static int too_early(pthread_t thread) {
  struct timespec now, wrong = {0, -1};
  clock_gettime(CLOCK_REALTIME, &now);
  assert(pthread_timedjoin_np(thread, 0, &now) == ETIMEDOUT);
  assert(pthread_timedjoin_np(thread, 0, &wrong) == EINVAL);
  assert(pthread_tryjoin_np(thread, 0) == EBUSY);
  return pthread_join(thread, 0);
}

int main(void) {
  join(in_an_hour);
  join(without_limit);
  join(never);
  join(too_early);
}
