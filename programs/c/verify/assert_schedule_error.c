// An assertion that fails only if the second section comes first.
// expect: program-error
// run: race-free
// executions: 2
// message: assertion failed: x == 1
// twin: examples/error_assert_schedule
#include <assert.h>
int x;

int main(void) {
#pragma omp parallel sections num_threads(2)
  {
#pragma omp section
    {
#pragma omp critical
      x = 1;
    }
#pragma omp section
    {
#pragma omp critical
      assert(x == 1);
    }
  }
  return 0;
}
