// A wait with depend joins the tasks it names.
// expect: race-free all-schedules
#include <assert.h>

int x, y;

int main(void) {
#pragma omp parallel
#pragma omp single
  {
#pragma omp task depend(out : x)
    x = 1;
#pragma omp task depend(out : y)
    y = 2;
#pragma omp taskwait depend(in : x)
    assert(x == 1);
  }
  assert(y == 2);
  return 0;
}
