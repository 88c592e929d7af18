// Without nowait a loop ends with a barrier.
// expect: race-free all-schedules
#include <assert.h>
#define N 40

int a[N], b[N];

int main(void) {
#pragma omp parallel
  {
#pragma omp for
    for (int i = 0; i < N; i++)
      a[i] = i;
#pragma omp for
    for (int i = 0; i < N; i++)
      b[i] = a[N - 1 - i];
  }
  for (int i = 0; i < N; i++)
    assert(b[i] == N - 1 - i);
  return 0;
}
