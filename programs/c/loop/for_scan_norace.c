// An inclusive scan: partial sums are private until the directive combines them.
// expect: race-free all-schedules
// flags: -lm
#include <assert.h>
#define N 32

int in[N], out[N];

int main(void) {
  int sum = 0;
  for (int i = 0; i < N; i++)
    in[i] = i;
#pragma omp parallel for reduction(inscan, + : sum)
  for (int i = 0; i < N; i++) {
    sum += in[i];
#pragma omp scan inclusive(sum)
    out[i] = sum;
  }
  assert(out[N - 1] == N * (N - 1) / 2 && sum == out[N - 1]);
  return 0;
}
