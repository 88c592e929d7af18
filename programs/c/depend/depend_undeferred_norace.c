// An undeferred task waits for its predecessors, and the creator for it.
// expect: race-free all-schedules
#include <assert.h>

int x;

int main(void) {
#pragma omp parallel
#pragma omp single
  {
#pragma omp task depend(out : x)
    x = 1;
#pragma omp task depend(inout : x) if (0)
    x += 1;
    assert(x == 2);
  }
  return 0;
}
