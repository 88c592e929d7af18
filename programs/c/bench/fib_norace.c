// A task for each call of a recursion that does nothing else.
// expect: race-free all-schedules
// args: 10
#include <assert.h>
#include <stdlib.h>

static long fib(int n) {
  if (n < 2)
    return n;
  long a, b;
#pragma omp task shared(a)
  a = fib(n - 1);
  b = fib(n - 2);
#pragma omp taskwait
  return a + b;
}

int main(int argc, char **argv) {
  int n = argc > 1 ? atoi(argv[1]) : 32;
  long result, before = 0, should = 1;
#pragma omp parallel
#pragma omp single
  result = fib(n);
  for (int i = 1; i < n; i++) {
    long next = before + should;
    before = should, should = next;
  }
  assert(result == should);
  return 0;
}
