// Tasks that ended leave their stack to others, and so do functions that returned.
// expect: race-free all-schedules
#include <assert.h>

int sums[10];

__attribute__((noinline)) static void fill(int *part, int from) {
  for (int i = 0; i < 8; i++)
    part[i] = from + i;
}

__attribute__((noinline)) static int work(int n) {
  int part[2][8], sum = 0;
#pragma omp task shared(part)
  fill(part[0], n);
#pragma omp task shared(part)
  fill(part[1], -n);
#pragma omp taskwait
  for (int i = 0; i < 8; i++)
    sum += part[0][i] + part[1][i];
  return sum;
}

int main(void) {
#pragma omp parallel
#pragma omp single
  for (int t = 0; t < 10; t++) {
#pragma omp task
    sums[t] = work(t) + work(t + 1);
  }
  for (int t = 0; t < 10; t++)
    assert(sums[t] == 112);
  return 0;
}
