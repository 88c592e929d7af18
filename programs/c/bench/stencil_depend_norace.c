// A stencil in blocks, two copies of the grid: a block waits for its neighbours of the step before.
// expect: race-free all-schedules
// args: 1000 100 8
#include <assert.h>
#include <stdlib.h>

int main(int argc, char **argv) {
  long n = argc > 1 ? atol(argv[1]) : 1000000;
  long block = argc > 2 ? atol(argv[2]) : 1000;
  int steps = argc > 3 ? atoi(argv[3]) : 800;
  assert(n % block == 0);
  int *grids[2] = {calloc(n + 2, sizeof(int)), calloc(n + 2, sizeof(int))};
  for (long i = 0; i < n + 2; i++)
    grids[0][i] = grids[1][i] = i == 0 || i == n + 1 ? 0 : 1 + i % 2;
#pragma omp parallel
#pragma omp single
  for (int step = 0; step < steps; step++) {
    int *from = grids[step % 2], *to = grids[1 - step % 2];
    for (long at = 1; at <= n; at += block) {
      long before = at > block ? at - block : 0;
#pragma omp task depend(in : from[before], from[at], from[at + block]) depend(out : to[at])
      for (long i = at; i < at + block; i++)
        to[i] = (from[i - 1] + from[i] + from[i + 1]) & 0xff;
    }
  }
  // Far from the ends the pattern has period two, so that two numbers tell all.
  int odd = 2, even = 1;
  for (int step = 0; step < steps; step++) {
    int o = (2 * even + odd) & 0xff, e = (2 * odd + even) & 0xff;
    odd = o, even = e;
  }
  int *last = grids[steps % 2];
  for (long i = steps + 1; i < n - steps; i++)
    assert(last[i] == (i % 2 ? odd : even));
  free(grids[0]), free(grids[1]);
  return 0;
}
