// A histogram: each thread has its own copy of the section.
// expect: race-free all-schedules
#include <assert.h>
#define N 40

int main(void) {
  int histogram[8] = {0};
#pragma omp parallel for reduction(+ : histogram[0 : 8]) schedule(static, 3)
  for (int i = 0; i < N; i++)
    histogram[i % 8]++;
  for (int b = 0; b < 8; b++)
    assert(histogram[b] == N / 8);
  return 0;
}
