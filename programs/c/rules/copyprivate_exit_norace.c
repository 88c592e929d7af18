// The value has been copied before any thread leaves the single: its source may change.
// expect: race-free all-schedules
#include <assert.h>

int shared = 1;

int main(void) {
#pragma omp parallel
  {
    int own;
#pragma omp single copyprivate(own)
    own = shared;
#pragma omp masked
    shared = 2;
    assert(own == 1);
    own++;
  }
  assert(shared == 2);
  return 0;
}
