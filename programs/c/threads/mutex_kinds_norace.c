// Recursive, error-checking and robust mutexes, tests and limits on the time: each says what POSIX asks for.
// expect: race-free observed-schedule
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <time.h>

pthread_mutex_t mutex;

static void init(int kind, int robust) {
  pthread_mutexattr_t attributes;
  pthread_mutexattr_init(&attributes);
  pthread_mutexattr_settype(&attributes, kind);
  pthread_mutexattr_setrobust(&attributes, robust);
  assert(pthread_mutex_init(&mutex, &attributes) == 0);
  pthread_mutexattr_destroy(&attributes);
}

static void *find_held(void *unused) {
  struct timespec soon;
  assert(pthread_mutex_trylock(&mutex) == EBUSY);
  clock_gettime(CLOCK_REALTIME, &soon);
  soon.tv_nsec += 1000000;
  if (soon.tv_nsec >= 1000000000) {
    soon.tv_sec++;
    soon.tv_nsec -= 1000000000;
  }
  assert(pthread_mutex_timedlock(&mutex, &soon) == ETIMEDOUT);
  assert(pthread_mutex_unlock(&mutex) == EPERM);
  return unused;
}

static void *die_with_it(void *unused) {
  assert(pthread_mutex_lock(&mutex) == 0);
  return unused;
}

static void run(void *(*routine)(void *)) {
  pthread_t thread;
  pthread_create(&thread, 0, routine, 0);
  pthread_join(thread, 0);
}

int main(void) {
  init(PTHREAD_MUTEX_RECURSIVE, PTHREAD_MUTEX_STALLED);
  assert(pthread_mutex_lock(&mutex) == 0 && pthread_mutex_lock(&mutex) == 0 && pthread_mutex_trylock(&mutex) == 0);
  run(find_held);
  assert(pthread_mutex_unlock(&mutex) == 0 && pthread_mutex_unlock(&mutex) == 0 && pthread_mutex_unlock(&mutex) == 0);
  assert(pthread_mutex_unlock(&mutex) == EPERM);
  pthread_mutex_destroy(&mutex);

  init(PTHREAD_MUTEX_ERRORCHECK, PTHREAD_MUTEX_STALLED);
  assert(pthread_mutex_lock(&mutex) == 0 && pthread_mutex_lock(&mutex) == EDEADLK);
  run(find_held);
  assert(pthread_mutex_unlock(&mutex) == 0);
  pthread_mutex_destroy(&mutex);

  init(PTHREAD_MUTEX_NORMAL, PTHREAD_MUTEX_ROBUST);
  run(die_with_it);
  assert(pthread_mutex_lock(&mutex) == EOWNERDEAD);
  assert(pthread_mutex_consistent(&mutex) == 0 && pthread_mutex_unlock(&mutex) == 0);
  run(die_with_it);
  assert(pthread_mutex_lock(&mutex) == EOWNERDEAD && pthread_mutex_unlock(&mutex) == 0);
  assert(pthread_mutex_lock(&mutex) == ENOTRECOVERABLE);
}
