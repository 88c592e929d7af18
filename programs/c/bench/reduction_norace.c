// Dot products by the reduction of a loop.
// expect: race-free all-schedules
// args: 1000 4
#include <assert.h>
#include <stdlib.h>

int main(int argc, char **argv) {
  long n = argc > 1 ? atol(argv[1]) : 2000000;
  int rounds = argc > 2 ? atoi(argv[2]) : 150;
  long *x = malloc(sizeof(long) * n), *y = malloc(sizeof(long) * n);
  for (long i = 0; i < n; i++)
    x[i] = i % 8, y[i] = i % 3;
  long should = 0;
  for (long i = 0; i < n; i++)
    should += x[i] * y[i];
  for (int round = 0; round < rounds; round++) {
    long dot = 0;
#pragma omp parallel for reduction(+ : dot)
    for (long i = 0; i < n; i++)
      dot += x[i] * y[i];
    assert(dot == should);
  }
  free(x), free(y);
  return 0;
}
