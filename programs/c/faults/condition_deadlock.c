// The notification comes before anybody waits for it, and is lost.
// expect: deadlock
// message: main waits for condition variable condition
#include <pthread.h>

pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t condition = PTHREAD_COND_INITIALIZER;

static void *notify(void *unused) {
  pthread_cond_signal(&condition);
  return unused;
}

int main(void) {
  pthread_t thread;
  pthread_create(&thread, 0, notify, 0);
  pthread_mutex_lock(&mutex);
  pthread_cond_wait(&condition, &mutex);
  pthread_mutex_unlock(&mutex);
  pthread_join(thread, 0);
}
