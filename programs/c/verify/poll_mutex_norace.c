// A thread asks under a mutex again and again whether something is there, and sleeps in between.
// expect: race-free
// run: race-free
// executions: 3
#include <pthread.h>
#include <unistd.h>

pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
int ready, value;

static void *make(void *unused) {
  value = 7;
  pthread_mutex_lock(&mutex);
  ready = 1;
  pthread_mutex_unlock(&mutex);
  return unused;
}

int main(void) {
  pthread_t thread;
  int is_ready = 0;
  pthread_create(&thread, 0, make, 0);
  while (!is_ready) {
    pthread_mutex_lock(&mutex);
    is_ready = ready;
    pthread_mutex_unlock(&mutex);
    if (!is_ready)
      usleep(1000);
  }
  if (value != 7)
    return 1;
  pthread_join(thread, 0);
}
