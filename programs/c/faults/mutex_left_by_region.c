// A thread of a region leaves it with a mutex locked, which another thread then locks.
// expect: deadlock
#include <omp.h>
#include <pthread.h>

pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
int x;

int main(void) {
#pragma omp parallel num_threads(2)
  if (omp_get_thread_num() == 1) {
    pthread_mutex_lock(&mutex);
    x = 1;
  }
  pthread_mutex_lock(&mutex);
  x = 2;
  return 0;
}
