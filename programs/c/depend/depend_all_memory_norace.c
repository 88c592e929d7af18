// A dependence on all of memory is ordered with every sibling that has one.
// expect: race-free all-schedules
#include <assert.h>

int x, y;

int main(void) {
#pragma omp parallel
#pragma omp single
  {
#pragma omp task depend(out : x)
    x = 1;
#pragma omp task depend(out : y)
    y = 2;
#pragma omp task depend(inout : omp_all_memory)
    x += y;
#pragma omp task depend(in : x)
    assert(x == 3);
  }
  return 0;
}
