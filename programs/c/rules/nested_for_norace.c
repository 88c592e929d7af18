// An inner team for each outer iteration: the inner region's end joins it before the sum.
// expect: race-free all-schedules
#include <assert.h>
#include <omp.h>
#define N 6

int a[N][N], sum[N];

int main(void) {
  omp_set_max_active_levels(2);
#pragma omp parallel for
  for (int i = 0; i < N; i++) {
#pragma omp parallel for
    for (int j = 0; j < N; j++)
      a[i][j] = j;
    for (int j = 0; j < N; j++)
      sum[i] += a[i][j];
  }
  for (int i = 0; i < N; i++)
    assert(sum[i] == 15);
  return 0;
}
