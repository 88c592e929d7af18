// Grandchildren take part as well.
// expect: race-free all-schedules
#include <assert.h>

static int tree(int depth) {
  int leaves = 0;
#pragma omp taskgroup task_reduction(+ : leaves)
  {
#pragma omp task in_reduction(+ : leaves)
    {
      leaves += 1;
#pragma omp task in_reduction(+ : leaves)
      leaves += depth;
#pragma omp taskwait
    }
  }
  return leaves;
}

int main(void) {
  int got = 0;
#pragma omp parallel
#pragma omp single
  got = tree(4);
  assert(got == 5);
  return 0;
}
