// A lock that is taken before a barrier and given back behind it, as a signal.
// expect: race-free all-schedules
// run: race-free
// executions: 1
#include <omp.h>
omp_lock_t lock;
int data, got;

int main(void) {
  omp_init_lock(&lock);
#pragma omp parallel num_threads(2)
  {
    if (omp_get_thread_num() == 0)
      omp_set_lock(&lock);
#pragma omp barrier
    if (omp_get_thread_num() == 0) {
      data = 1;
      omp_unset_lock(&lock);
    } else {
      omp_set_lock(&lock);
      omp_unset_lock(&lock);
      got = data;
    }
  }
  return got != 1;
}
