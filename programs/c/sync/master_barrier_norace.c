// The barrier after it makes what the master wrote safe to read.
// expect: race-free all-schedules
#include <assert.h>

int x;

int main(void) {
#pragma omp parallel
  {
#pragma omp master
    x = 1;
#pragma omp barrier
    assert(x == 1);
  }
  return 0;
}
