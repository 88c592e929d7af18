// Two loops in one.
// expect: race-free
#include <assert.h>
float grid[8][16];

int main(void) {
#pragma omp parallel num_threads(2)
#pragma omp single
#pragma omp simd collapse(2)
  for (int i = 0; i < 8; i++)
    for (int j = 0; j < 16; j++)
      grid[i][j] = grid[i][j] + i * j;
  assert(grid[7][15] == 105);
  return 0;
}
