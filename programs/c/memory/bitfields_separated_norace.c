// A bit-field of width zero starts a new memory location.
// expect: race-free all-schedules
#include <assert.h>

struct {
  unsigned low : 3;
  unsigned : 0;
  unsigned high : 3;
} s;

int main(void) {
#pragma omp parallel
#pragma omp single
  {
#pragma omp task
    s.low = 1;
#pragma omp task
    s.high = 2;
  }
  assert(s.low == 1 && s.high == 2);
  return 0;
}
