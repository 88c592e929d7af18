// A mergeable task whose result does not depend on whether it was merged.
// expect: race-free all-schedules
#include <assert.h>

int main(void) {
  int x = 2;
#pragma omp parallel
#pragma omp single
  {
#pragma omp task mergeable shared(x) if (0)
    x++;
    assert(x == 3);
  }
  return 0;
}
