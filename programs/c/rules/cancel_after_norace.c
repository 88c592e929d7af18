// The end of a cancelled region joins its threads.
// expect: race-free observed-schedule
// env: OMP_CANCELLATION=true
#include <assert.h>
#define N 12

int a[N], sum;

int main(void) {
#pragma omp parallel
  {
#pragma omp for nowait
    for (int i = 0; i < N; i++)
      a[i] = 1;
#pragma omp cancel parallel
  }
  for (int i = 0; i < N; i++)
    sum += a[i];
  assert(sum <= N);
  return 0;
}
