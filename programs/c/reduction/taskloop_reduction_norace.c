// A task loop reduces over its tasks and waits for them.
// expect: race-free all-schedules
#include <assert.h>
#define N 30

int main(void) {
  int sum = 0;
#pragma omp parallel
#pragma omp single
  {
#pragma omp taskloop reduction(+ : sum) grainsize(4)
    for (int i = 0; i < N; i++)
      sum += i;
    assert(sum == N * (N - 1) / 2);
  }
  return 0;
}
