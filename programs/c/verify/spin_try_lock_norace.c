// A thread takes a mutex by trying again and again.
// expect: race-free
// run: race-free
// executions: 7
#include <pthread.h>
#include <sched.h>

pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
int count;

static void *other(void *unused) {
  pthread_mutex_lock(&mutex);
  count++;
  pthread_mutex_unlock(&mutex);
  return unused;
}

int main(void) {
  pthread_t thread;
  pthread_create(&thread, 0, other, 0);
  while (pthread_mutex_trylock(&mutex))
    sched_yield();
  count++;
  pthread_mutex_unlock(&mutex);
  pthread_join(thread, 0);
  return count != 2;
}
