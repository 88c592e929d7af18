// Each task counts in an array of its own.
// expect: race-free all-schedules
#include <assert.h>
#define N 8

int sums[N];

int main(void) {
  int a[N];
  for (int i = 0; i < N; i++)
    a[i] = i;
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < N; i++) {
#pragma omp task firstprivate(a)
    {
      a[i] *= 2;
      for (int j = 0; j < N; j++)
        sums[i] += a[j];
    }
  }
  for (int i = 0; i < N; i++)
    assert(sums[i] == N * (N - 1) / 2 + i);
  return 0;
}
