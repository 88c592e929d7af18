// The same with a mutex of the C library.
// expect: race
// run: race-free
// executions: 2
#include <omp.h>
#include <pthread.h>
pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
int came, result;

int main(void) {
#pragma omp parallel num_threads(2)
  {
    pthread_mutex_lock(&mutex);
    int mine = came++;
    pthread_mutex_unlock(&mutex);
    if (omp_get_thread_num() == 0)
      result = mine; //~ race result #1
    else if (mine == 0)
      result = 7; //~ race result #1
  }
  return 0;
}
