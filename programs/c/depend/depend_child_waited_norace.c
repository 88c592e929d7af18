// The predecessor waits for its child itself.
// expect: race-free all-schedules
#include <assert.h>

int x;

int main(void) {
#pragma omp parallel
#pragma omp single
  {
#pragma omp task depend(out : x)
    {
#pragma omp task
      x = 1;
#pragma omp taskwait
    }
#pragma omp task depend(in : x)
    assert(x == 1);
  }
  return 0;
}
