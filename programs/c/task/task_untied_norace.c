// An untied task that waits for its child and goes on, maybe on another thread.
// expect: race-free all-schedules
#include <assert.h>

int x;

int main(void) {
#pragma omp parallel
#pragma omp single
  {
#pragma omp task untied
    {
      x = 1;
#pragma omp task
      x += 1;
#pragma omp taskwait
      x += 1;
    }
  }
  assert(x == 3);
  return 0;
}
