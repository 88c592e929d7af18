// taskwait joins the children.
// expect: race-free all-schedules
#include <assert.h>

int x, y;

int main(void) {
#pragma omp parallel
#pragma omp single
  {
#pragma omp task
    x = 1;
#pragma omp task
    y = 2;
#pragma omp taskwait
    assert(x + y == 3);
  }
  return 0;
}
