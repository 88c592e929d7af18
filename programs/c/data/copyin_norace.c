// The master's copy is given to every thread before the region starts.
// expect: race-free all-schedules
#include <assert.h>

int mine = 1;
#pragma omp threadprivate(mine)

int main(void) {
  mine = 42;
#pragma omp parallel copyin(mine) num_threads(4)
  {
    assert(mine == 42);
    mine++;
  }
  assert(mine == 43);
  return 0;
}
