// A barrier between the master region and the single.
// expect: race-free all-schedules
#include <assert.h>
int x, y;

int main(void) {
#pragma omp parallel
  {
#pragma omp master
    x = 1;
#pragma omp barrier
#pragma omp single
    y = x;
  }
  assert(y == 1);
  return 0;
}
