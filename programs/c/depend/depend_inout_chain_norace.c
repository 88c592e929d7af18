// A chain of updates of one variable.
// expect: race-free all-schedules
#include <assert.h>

int x;

int main(void) {
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < 8; i++) {
#pragma omp task depend(inout : x)
    x = 2 * x + 1;
  }
  assert(x == 255);
  return 0;
}
