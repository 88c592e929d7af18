// What an iteration does before its ordered region comes before the ordered regions that follow.
// expect: race-free all-schedules
#include <assert.h>
#define N 12

int a[N], sum;

int main(void) {
#pragma omp parallel for ordered
  for (int i = 0; i < N; i++) {
    a[i] = i;
#pragma omp ordered
    for (int j = 0; j <= i; j++)
      sum += a[j];
  }
  assert(sum > 0);
  return 0;
}
