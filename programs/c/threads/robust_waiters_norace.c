// The holder of a robust mutex ends while three threads wait for it, one by a lock, one with a limit on the time, one at a condition variable: the
// first is told so.
// expect: race-free observed-schedule
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <time.h>
#include <unistd.h>

pthread_mutex_t mutex;
pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
int told, held, waits;

static void got(int error) {
  assert(error == 0 || error == EOWNERDEAD);
  if (error) {
    told++;
    assert(pthread_mutex_consistent(&mutex) == 0);
  }
  assert(pthread_mutex_unlock(&mutex) == 0);
}

static void *at_condition(void *unused) {
  pthread_mutex_lock(&mutex);
  waits = 1;
  while (!held) {
    int error = pthread_cond_wait(&condition, &mutex);
    if (error) {
      assert(error == EOWNERDEAD);
      told++;
      assert(pthread_mutex_consistent(&mutex) == 0);
    }
  }
  pthread_mutex_unlock(&mutex);
  return unused;
}

static void *dies(void *unused) {
  assert(pthread_mutex_lock(&mutex) == 0);
  assert(waits);
  held = 1;
  pthread_cond_signal(&condition);
  usleep(1000);
  return unused;
}

static void *by_lock(void *unused) {
  got(pthread_mutex_lock(&mutex));
  return unused;
}

static void *by_limit(void *unused) {
  struct timespec late;
  clock_gettime(CLOCK_REALTIME, &late);
  late.tv_sec += 3600;
  got(pthread_mutex_timedlock(&mutex, &late));
  return unused;
}

int main(void) {
  void *(*const all[])(void *) = {at_condition, dies, by_lock, by_limit};
  pthread_t threads[4];
  pthread_mutexattr_t attributes;
  pthread_mutexattr_init(&attributes);
  pthread_mutexattr_setrobust(&attributes, PTHREAD_MUTEX_ROBUST);
  pthread_mutex_init(&mutex, &attributes);
  for (int i = 0; i < 4; i++)
    pthread_create(&threads[i], 0, all[i], 0);
  for (int i = 0; i < 4; i++)
    pthread_join(threads[i], 0);
  assert(told == 1);
}
