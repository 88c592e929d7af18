// A task with a false condition is finished before its creator goes on.
// expect: race-free all-schedules
#include <assert.h>

int x;

int main(void) {
#pragma omp parallel
#pragma omp single
  {
#pragma omp task if (0)
    x = 1;
    assert(x == 1);
  }
  return 0;
}
