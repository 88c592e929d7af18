// A block grows within a task; others may get what it left behind.
// expect: race-free all-schedules
#include <assert.h>
#include <stdlib.h>

int sums[8];

int main(void) {
#pragma omp parallel
#pragma omp single
  for (int t = 0; t < 8; t++) {
#pragma omp task
    {
      int *block = NULL;
      for (int n = 1; n <= 64; n *= 2) {
        block = realloc(block, (size_t)n * sizeof *block);
        for (int i = n / 2; i < n; i++)
          block[i] = i;
      }
      for (int i = 0; i < 64; i++)
        sums[t] += block[i];
      free(block);
    }
  }
  for (int t = 0; t < 8; t++)
    assert(sums[t] == 2016);
  return 0;
}
