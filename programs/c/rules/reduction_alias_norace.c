// The original variable is complete after the loop's barrier, whoever reads it and however.
// expect: race-free all-schedules
#include <assert.h>
#define N 12

int sum, seen;

int main(void) {
  int *original = &sum;
#pragma omp parallel
  {
#pragma omp for reduction(+ : sum)
    for (int i = 0; i < N; i++)
      sum += i;
#pragma omp single nowait
    seen = *original;
    assert(sum == N * (N - 1) / 2);
  }
  assert(seen == N * (N - 1) / 2);
  return 0;
}
