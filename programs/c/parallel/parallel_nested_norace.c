// Two levels of teams; every thread of every inner team has its own element.
// expect: race-free all-schedules
#include <assert.h>
#include <omp.h>

int a[2][2];

int main(void) {
  omp_set_max_active_levels(2);
#pragma omp parallel num_threads(2)
  {
    int outer = omp_get_thread_num();
#pragma omp parallel num_threads(2)
    a[outer][omp_get_thread_num()] = omp_get_level();
    assert(a[outer][0] == 2 && a[outer][1] == 2);
  }
  return 0;
}
