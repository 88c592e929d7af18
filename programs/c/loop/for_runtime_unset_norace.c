// Without a setting, schedule(runtime) is static.
// expect: race-free all-schedules
#include <assert.h>
#define N 32

int halves[2];

int main(void) {
#pragma omp parallel for schedule(runtime) num_threads(2)
  for (int i = 0; i < N; i++)
    halves[i / (N / 2)] += i;
  assert(halves[0] + halves[1] == N * (N - 1) / 2);
  return 0;
}
