// The barrier that makes the sum of a nowait loop complete.
// expect: race-free all-schedules
#include <assert.h>
#define N 40

int sum;

int main(void) {
#pragma omp parallel
  {
#pragma omp for reduction(+ : sum) nowait
    for (int i = 0; i < N; i++)
      sum += i;
#pragma omp barrier
    assert(sum == N * (N - 1) / 2);
  }
  return 0;
}
