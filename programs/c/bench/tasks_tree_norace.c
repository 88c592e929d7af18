// Many short tasks: a range is halved until one element is left, a task for each lower half.
// expect: race-free all-schedules
// args: 1000
#include <assert.h>
#include <stdlib.h>

static long sum(const int *data, long n) {
  if (n == 1)
    return *data;
  long lower, upper;
#pragma omp task shared(lower)
  lower = sum(data, n / 2);
  upper = sum(data + n / 2, n - n / 2);
#pragma omp taskwait
  return lower + upper;
}

int main(int argc, char **argv) {
  long n = argc > 1 ? atol(argv[1]) : 1000000;
  int *data = malloc(sizeof(int) * n);
  for (long i = 0; i < n; i++)
    data[i] = (int)i;
  long all;
#pragma omp parallel
#pragma omp single
  all = sum(data, n);
  assert(all == n * (n - 1) / 2);
  free(data);
  return 0;
}
