// One section uses the variable twice, the other never; a thread runs its sections in a loop.
// expect: race-free all-schedules
#include <assert.h>

int x, y;

int main(void) {
#pragma omp parallel sections num_threads(2)
  {
#pragma omp section
    {
      x = 1;
      y = x + 1;
      x = y * 2;
    }
#pragma omp section
    {
    }
  }
  assert(x == 4);
  return 0;
}
