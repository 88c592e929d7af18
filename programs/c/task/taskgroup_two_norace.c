// One group after another.
// expect: race-free all-schedules
#include <assert.h>

int x, y;

int main(void) {
#pragma omp parallel
#pragma omp single
  {
#pragma omp taskgroup
    {
#pragma omp task
      x = 1;
    }
#pragma omp taskgroup
    {
#pragma omp task
      y = x + 1;
    }
    assert(y == 2);
  }
  return 0;
}
