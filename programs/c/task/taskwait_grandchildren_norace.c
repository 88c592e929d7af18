// A wait at each level joins them all.
// expect: race-free all-schedules
#include <assert.h>

int x;

int main(void) {
#pragma omp parallel
#pragma omp single
  {
#pragma omp task
    {
#pragma omp task
      x = 1;
#pragma omp taskwait
    }
#pragma omp taskwait
    assert(x == 1);
  }
  return 0;
}
