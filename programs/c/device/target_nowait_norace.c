// A target task is a task: it has dependences, and a taskwait joins it.
// expect: race-free all-schedules
#include <assert.h>

int x, y;

int main(void) {
#pragma omp parallel
#pragma omp single
  {
#pragma omp target nowait map(tofrom : x) depend(out : x)
    x = 1;
#pragma omp task depend(in : x)
    y = x + 1;
#pragma omp taskwait
    assert(y == 2);
  }
  return 0;
}
