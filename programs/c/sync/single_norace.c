// One thread writes; the barrier at the end of single lets the others read.
// expect: race-free all-schedules
#include <assert.h>

int x;

int main(void) {
#pragma omp parallel
  {
#pragma omp single
    x = 42;
    assert(x == 42);
  }
  return 0;
}
