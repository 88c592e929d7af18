// Outside of any parallel region a task is run by the one thread there is, but it is still joined only by a taskwait.
// expect: race-free all-schedules
#include <assert.h>

int x;

int main(void) {
#pragma omp task
  x = 1;
#pragma omp taskwait
  assert(x == 1);
  return 0;
}
