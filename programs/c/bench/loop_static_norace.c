// Worksharing loops in equal parts, again and again.
// expect: race-free all-schedules
// args: 1000 4
#include <assert.h>
#include <stdlib.h>

int main(int argc, char **argv) {
  long n = argc > 1 ? atol(argv[1]) : 1000000;
  int rounds = argc > 2 ? atoi(argv[2]) : 600;
  double *x = malloc(sizeof(double) * n), *y = malloc(sizeof(double) * n);
#pragma omp parallel
  {
#pragma omp for schedule(static)
    for (long i = 0; i < n; i++)
      x[i] = i % 100, y[i] = 0;
    for (int round = 0; round < rounds; round++) {
#pragma omp for schedule(static)
      for (long i = 0; i < n; i++)
        y[i] += 2 * x[i];
    }
  }
  for (long i = 0; i < n; i++)
    assert(y[i] == 2.0 * rounds * (i % 100));
  free(x), free(y);
  return 0;
}
