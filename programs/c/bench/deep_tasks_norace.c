// Recursion far down by tasks: each waits for the one it made.
// expect: race-free all-schedules
// args: 50 4
#include <assert.h>
#include <stdlib.h>

static void down(int depth, long *result) {
  long below = 0;
  if (depth > 0) {
#pragma omp task shared(below)
    down(depth - 1, &below);
#pragma omp taskwait
  }
  *result = below + 1;
}

int main(int argc, char **argv) {
  int depth = argc > 1 ? atoi(argv[1]) : 1000;
  int rounds = argc > 2 ? atoi(argv[2]) : 2500;
#pragma omp parallel
#pragma omp single
  for (int round = 0; round < rounds; round++) {
    long result;
    down(depth, &result);
    assert(result == depth + 1);
  }
  return 0;
}
