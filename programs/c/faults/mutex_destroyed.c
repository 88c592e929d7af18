// A mutex is locked after it was destroyed.
// expect: program-error
// message: a mutex is used that was destroyed
#include <pthread.h>

int main(void) {
  pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
  pthread_mutex_destroy(&mutex);
#pragma omp parallel
  {
    pthread_mutex_lock(&mutex);
    pthread_mutex_unlock(&mutex);
  }
  return 0;
}
