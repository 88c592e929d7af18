// Both regions are run by the same thread, in order.
// expect: race-free all-schedules
#include <assert.h>

int x;

int main(void) {
#pragma omp parallel
  {
#pragma omp master
    x = 1;
#pragma omp master
    x += 1;
  }
  assert(x == 2);
  return 0;
}
