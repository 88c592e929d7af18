// Unless more levels are asked for, a region inside another has a team of one.
// expect: race-free all-schedules
#include <assert.h>
#include <omp.h>

int inner[2];

int main(void) {
  assert(omp_get_max_active_levels() == 1);
#pragma omp parallel num_threads(2)
  {
    int own = omp_get_thread_num();
#pragma omp parallel num_threads(2)
    inner[own]++;
  }
  assert(inner[0] == 1 && inner[1] == 1);
  return 0;
}
