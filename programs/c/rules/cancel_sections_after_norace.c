// The barrier after a cancelled sections construct orders it with what follows.
// expect: race-free observed-schedule
// env: OMP_CANCELLATION=true
#include <assert.h>

int x, seen;

int main(void) {
#pragma omp parallel
  {
#pragma omp sections
    {
#pragma omp section
      {
        x = 1;
#pragma omp cancel sections
      }
    }
#pragma omp single
    seen = x;
  }
  assert(seen == 1);
  return 0;
}
