// A barrier of the team completes all its tasks.
// expect: race-free all-schedules
#include <assert.h>

int x;

int main(void) {
#pragma omp parallel
  {
#pragma omp single nowait
    {
#pragma omp task
      x = 1;
    }
#pragma omp barrier
    assert(x == 1);
  }
  return 0;
}
