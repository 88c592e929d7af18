// A function of the program's own that has the name of one of the C library's, and waits.
// expect: race-free all-schedules
#include <assert.h>

int x;

__attribute__((noinline)) double log(double value) {
#pragma omp taskwait
  return value;
}

int main(void) {
#pragma omp parallel num_threads(2)
#pragma omp single
  {
    x = 0;
#pragma omp task shared(x)
    x = 1;
    assert(log(2.0) == 2.0);
    x++;
  }
  assert(x == 2);
  return 0;
}
