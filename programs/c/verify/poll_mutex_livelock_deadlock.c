// A thread waits under a mutex for a flag that another one sets only if it comes first.
// expect: deadlock
// run: race-free
// executions: 2
#include <pthread.h>
#include <sched.h>

pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
int asked, ready;

static void *answer(void *unused) {
  pthread_mutex_lock(&mutex);
  if (!asked)
    ready = 1;
  pthread_mutex_unlock(&mutex);
  return unused;
}

int main(void) {
  pthread_t thread;
  int is_ready = 0;
  pthread_create(&thread, 0, answer, 0);
  pthread_mutex_lock(&mutex);
  asked = 1;
  pthread_mutex_unlock(&mutex);
  while (!is_ready) {
    pthread_mutex_lock(&mutex);
    is_ready = ready;
    pthread_mutex_unlock(&mutex);
    sched_yield();
  }
  pthread_join(thread, 0);
}
