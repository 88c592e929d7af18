// Where threads are placed has no bearing on order.
// expect: race-free all-schedules
#include <assert.h>
#include <omp.h>

int a[4];

int main(void) {
#pragma omp parallel num_threads(4) proc_bind(spread)
  {
    a[omp_get_thread_num()]++;
#pragma omp barrier
    assert(a[(omp_get_thread_num() + 1) % 4] == 1);
  }
  return 0;
}
