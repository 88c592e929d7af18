// An assertion fails in a task.
// expect: program-error
// message: assertion failed
#include <assert.h>

volatile int x;

int main(void) {
#pragma omp parallel
#pragma omp single
  {
#pragma omp task
    assert(x == 1);
  }
  return 0;
}
