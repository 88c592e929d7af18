// A thread ends with a robust mutex while others wait for it. The first of them is told, and has what the mutex guards; after that it is as before.
// expect: race-free all-schedules
// run: race-free
// executions: 2
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <pthread.h>

pthread_mutex_t mutex;
int value, told;

static void *dies(void *unused) {
  int error = pthread_mutex_lock(&mutex);
  assert(error == 0 || error == EOWNERDEAD);
  told += error == EOWNERDEAD;
  value++;
  if (error)
    pthread_mutex_consistent(&mutex);
  return unused;
}

static void *lives(void *unused) {
  int error = pthread_mutex_lock(&mutex);
  assert(error == 0 || error == EOWNERDEAD);
  told += error == EOWNERDEAD;
  value++;
  if (error)
    pthread_mutex_consistent(&mutex);
  pthread_mutex_unlock(&mutex);
  return unused;
}

int main(void) {
  pthread_t a, b;
  pthread_mutexattr_t attributes;
  pthread_mutexattr_init(&attributes);
  pthread_mutexattr_setrobust(&attributes, PTHREAD_MUTEX_ROBUST);
  pthread_mutex_init(&mutex, &attributes);
  pthread_create(&a, 0, dies, 0);
  pthread_create(&b, 0, lives, 0);
  pthread_join(a, 0);
  pthread_join(b, 0);
  int error = pthread_mutex_lock(&mutex);
  told += error == EOWNERDEAD;
  assert(value == 2 && told == 1);
}
