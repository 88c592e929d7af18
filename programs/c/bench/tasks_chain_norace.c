// Many short tasks, each after the one before by a dependence, on a few values in turn.
// expect: race-free all-schedules
// args: 1000
#include <assert.h>
#include <stdlib.h>
#define VALUES 8

int main(int argc, char **argv) {
  long n = argc > 1 ? atol(argv[1]) : 1000000;
  long values[VALUES] = {0};
#pragma omp parallel
#pragma omp single
  for (long i = 0; i < n; i++) {
    long *from = &values[i % VALUES], *to = &values[(i + 1) % VALUES];
#pragma omp task depend(in : *from) depend(inout : *to)
    *to = *from + 1;
  }
  assert(values[n % VALUES] == n);
  return 0;
}
