// A thread that waits is canceled: its handler has the mutex again.
// expect: race-free observed-schedule
#include <assert.h>
#include <pthread.h>

pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t never = PTHREAD_COND_INITIALIZER;
int cleaned;

static void clean(void *unused) {
  (void)unused;
  cleaned = 1;
  pthread_mutex_unlock(&mutex);
}

static void *work(void *unused) {
  pthread_mutex_lock(&mutex);
  pthread_cleanup_push(clean, 0);
  for (;;)
    pthread_cond_wait(&never, &mutex);
  pthread_cleanup_pop(1);
  return unused;
}

int main(void) {
  pthread_t thread;
  void *result;
  pthread_create(&thread, 0, work, 0);
  pthread_cancel(thread);
  pthread_join(thread, &result);
  assert(result == PTHREAD_CANCELED && cleaned == 1);
  pthread_mutex_lock(&mutex);
  pthread_mutex_unlock(&mutex);
}
