// It is an empty task: whoever depends on it comes after all that it depends on.
// expect: race-free all-schedules
// flags: -fopenmp-version=52
#include <assert.h>

int x, y, z, join;

int main(void) {
#pragma omp parallel num_threads(2)
#pragma omp single
  {
#pragma omp task shared(x) depend(out : x)
    x = 1;
#pragma omp task shared(y) depend(out : y)
    y = 2;
#pragma omp taskwait depend(in : x, y) depend(out : join) nowait
#pragma omp task shared(x, y, z) depend(in : join)
    z = x + y;
  }
  assert(z == 3);
  return 0;
}
