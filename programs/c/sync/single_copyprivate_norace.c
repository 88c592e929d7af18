// The value one thread read is given to the private copies of all.
// expect: race-free all-schedules
#include <assert.h>

int main(void) {
#pragma omp parallel
  {
    int x, y[3];
#pragma omp single copyprivate(x, y)
    {
      x = 5;
      y[0] = 1, y[1] = 2, y[2] = 3;
    }
    x += y[2];
    assert(x == 8);
  }
  return 0;
}
