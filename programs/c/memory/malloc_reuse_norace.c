// Blocks are freed by one task and given to another: a new block has no past.
// expect: race-free all-schedules
#include <assert.h>
#include <stdlib.h>

int sums[12];

__attribute__((noinline)) static int work(int *block, int n) {
  int sum = 0;
  for (int i = 0; i < n; i++)
    block[i] = i;
  for (int i = 0; i < n; i++)
    sum += block[i];
  return sum;
}

int main(void) {
#pragma omp parallel for schedule(dynamic)
  for (int i = 0; i < 12; i++) {
    int *block = i % 2 ? malloc(64) : calloc(16, 4);
    sums[i] = work(block, 16);
    free(block);
  }
  for (int i = 0; i < 12; i++)
    assert(sums[i] == 120);
  return 0;
}
