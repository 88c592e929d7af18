// Both loops are shared out; every pair of indices has its element.
// expect: race-free all-schedules
#include <assert.h>

int a[6][7];

int main(void) {
#pragma omp parallel for collapse(2) schedule(dynamic)
  for (int i = 0; i < 6; i++)
    for (int j = 0; j < 7; j++)
      a[i][j] = 10 * i + j;
  for (int i = 0; i < 6; i++)
    for (int j = 0; j < 7; j++)
      assert(a[i][j] == 10 * i + j);
  return 0;
}
