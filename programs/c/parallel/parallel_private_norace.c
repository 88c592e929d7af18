// The clause gives every thread its own copy.
// expect: race-free all-schedules
#include <assert.h>

static volatile int ten = 10; // Else the optimiser knows the sum, and leaves the region out.

int main(void) {
  int x = 7;
#pragma omp parallel private(x)
  {
    x = 0;
    for (int i = 0; i < ten; i++)
      x += i;
    assert(x == 45);
  }
  assert(x == 7);
  return 0;
}
