// Each inner team copies its own value.
// expect: race-free all-schedules
#include <assert.h>
#include <omp.h>

int main(void) {
  omp_set_max_active_levels(2);
#pragma omp parallel
  {
    int shared = 3;
#pragma omp parallel
    {
      int own = 0;
#pragma omp single copyprivate(own)
      own = shared;
      assert(own == 3);
      own++;
#pragma omp single copyprivate(own)
      own = 5;
      assert(own == 5);
    }
  }
  return 0;
}
