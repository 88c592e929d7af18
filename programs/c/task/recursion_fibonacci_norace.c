// The classic: two children and a wait at every level.
// expect: race-free all-schedules
#include <assert.h>

static int fibonacci(int n) {
  int x, y;
  if (n < 2)
    return n;
#pragma omp task shared(x)
  x = fibonacci(n - 1);
#pragma omp task shared(y)
  y = fibonacci(n - 2);
#pragma omp taskwait
  return x + y;
}

int main(void) {
  int result = 0;
#pragma omp parallel
#pragma omp single
  result = fibonacci(10);
  assert(result == 55);
  return 0;
}
