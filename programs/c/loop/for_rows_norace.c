// Without collapse a row belongs to one iteration, so a dependence along it is harmless.
// expect: race-free all-schedules
#include <assert.h>

int a[6][8];

int main(void) {
#pragma omp parallel for schedule(dynamic)
  for (int i = 0; i < 6; i++)
    for (int j = 1; j < 8; j++)
      a[i][j] = a[i][j - 1] + 1;
  for (int i = 0; i < 6; i++)
    assert(a[i][7] == 7);
  return 0;
}
