// The next loop has a cancellation point and is not cancelled.
// expect: race-free observed-schedule
// env: OMP_CANCELLATION=true
#include <assert.h>
#define N 12

int a[N], b[N], sum;

int main(void) {
#pragma omp parallel
  {
#pragma omp for
    for (int i = 0; i < N; i++) {
      a[i] = 1;
#pragma omp cancel for if (i == 0)
    }
#pragma omp for
    for (int i = 0; i < N; i++) {
      b[i] = 1 + a[N - 1 - i];
#pragma omp cancellation point for
#pragma omp cancel for if (i < 0)
    }
#pragma omp single
    for (int i = 0; i < N; i++)
      sum += b[i] > 0;
  }
  assert(sum == N);
  return 0;
}
