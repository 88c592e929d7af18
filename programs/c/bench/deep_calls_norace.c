// Recursion far down inside of tasks: every call has a frame that the next one reads.
// expect: race-free all-schedules
// args: 4 200 4
#include <assert.h>
#include <stdlib.h>

static long down(const long *above, int depth) {
  long here[4] = {*above + 1, depth, 0, 0};
  if (depth == 0)
    return here[0];
  here[2] = down(here, depth - 1);
  return here[2] + (here[1] == depth ? 0 : 1);
}

int main(int argc, char **argv) {
  int tasks = argc > 1 ? atoi(argv[1]) : 100;
  int depth = argc > 2 ? atoi(argv[2]) : 4000;
  int rounds = argc > 3 ? atoi(argv[3]) : 400;
  long *result = calloc(tasks, sizeof(long));
#pragma omp parallel
#pragma omp single
  for (int task = 0; task < tasks; task++) {
#pragma omp task
    for (int round = 0; round < rounds; round++) {
      long zero = round;
      result[task] += down(&zero, depth);
    }
  }
  long should = 0;
  for (int round = 0; round < rounds; round++)
    should += round + depth + 1;
  for (int task = 0; task < tasks; task++)
    assert(result[task] == should);
  free(result);
  return 0;
}
