// Two sections keep an invariant, a third looks at it between them.
// expect: program-error
// run: race-free
// executions: 3
// message: assertion failed: sum == 0
#include <assert.h>
int left, right;

int main(void) {
#pragma omp parallel sections num_threads(2)
  {
#pragma omp section
    {
#pragma omp critical
      left++;
#pragma omp critical
      right--;
    }
#pragma omp section
    {
      int sum;
#pragma omp critical
      sum = left + right;
      assert(sum == 0);
    }
  }
  return 0;
}
