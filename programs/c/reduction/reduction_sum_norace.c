// Every thread adds to its own copy; the copies are combined at the end.
// expect: race-free all-schedules
#include <assert.h>
#define N 40

int main(void) {
  int sum = 100;
#pragma omp parallel for reduction(+ : sum)
  for (int i = 0; i < N; i++)
    sum += i;
  assert(sum == 100 + N * (N - 1) / 2);
  return 0;
}
