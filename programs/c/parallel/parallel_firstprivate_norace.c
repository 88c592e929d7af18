// Each thread starts from its own copy of the value before the region.
// expect: race-free all-schedules
#include <assert.h>

int main(void) {
  int x = 7;
#pragma omp parallel firstprivate(x) num_threads(4)
  {
    int step = x + 1;
    x += step;
    assert(x == 15);
  }
  assert(x == 7);
  return 0;
}
