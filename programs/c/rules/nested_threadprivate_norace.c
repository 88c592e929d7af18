// The primary thread of an inner team has the copy of the thread that created it.
// expect: race-free all-schedules
#include <assert.h>
#include <omp.h>

int mine;
#pragma omp threadprivate(mine)

int main(void) {
  omp_set_max_active_levels(2);
#pragma omp parallel
  {
    mine = 1;
#pragma omp parallel copyin(mine)
    {
      assert(mine == 1);
      mine = 2;
    }
    assert(mine == 2);
  }
  return 0;
}
