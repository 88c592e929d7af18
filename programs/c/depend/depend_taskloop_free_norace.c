// Two independent chains share a final task.
// expect: race-free all-schedules
#include <assert.h>

int x, y, total;

int main(void) {
#pragma omp parallel
#pragma omp single
  {
    for (int i = 0; i < 3; i++) {
#pragma omp task depend(inout : x)
      x += 1;
#pragma omp task depend(inout : y)
      y += 2;
    }
#pragma omp task depend(in : x, y)
    total = x + y;
#pragma omp taskwait
    assert(total == 9);
  }
  return 0;
}
