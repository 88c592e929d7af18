// What the creator did before comes before the task.
// expect: race-free all-schedules
#include <assert.h>

int x;

int main(void) {
#pragma omp parallel
#pragma omp single
  {
    x = 1;
#pragma omp task
    assert(x == 1);
#pragma omp task
    assert(x == 1);
  }
  return 0;
}
