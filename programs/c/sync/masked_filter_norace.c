// The filter names the thread; it is the same one both times.
// expect: race-free all-schedules
#include <assert.h>

int x;

int main(void) {
#pragma omp parallel num_threads(4)
  {
#pragma omp masked filter(2)
    x = 1;
#pragma omp masked filter(2)
    x += 1;
#pragma omp barrier
    assert(x == 2);
  }
  return 0;
}
