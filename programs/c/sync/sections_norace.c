// Two sections with a variable each, joined by the barrier at the end.
// expect: race-free all-schedules
#include <assert.h>

int x, y;

int main(void) {
#pragma omp parallel
  {
#pragma omp sections
    {
#pragma omp section
      x = 1;
#pragma omp section
      y = 2;
    }
    assert(x + y == 3);
  }
  return 0;
}
