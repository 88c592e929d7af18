// An exclusive scan: the sum of all iterations before.
// expect: race-free all-schedules
// flags: -lm
#include <assert.h>
#define N 24

int in[N], out[N];

int main(void) {
  int sum = 0;
  for (int i = 0; i < N; i++)
    in[i] = i;
#pragma omp parallel for reduction(inscan, + : sum)
  for (int i = 0; i < N; i++) {
    out[i] = sum;
#pragma omp scan exclusive(sum)
    sum += in[i];
  }
  assert(out[N - 1] == (N - 1) * (N - 2) / 2);
  return 0;
}
