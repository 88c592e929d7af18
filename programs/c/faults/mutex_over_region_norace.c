// A mutex belongs to a thread: the first one locks it in a region and unlocks it after.
// expect: race-free observed-schedule
#include <assert.h>
#include <omp.h>
#include <pthread.h>

pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
int x;

int main(void) {
#pragma omp parallel num_threads(2)
  if (omp_get_thread_num() == 0) {
    pthread_mutex_lock(&mutex);
    x = 1;
  }
  x = 2;
  pthread_mutex_unlock(&mutex);
  pthread_mutex_lock(&mutex);
  assert(x == 2);
  pthread_mutex_unlock(&mutex);
  return 0;
}
