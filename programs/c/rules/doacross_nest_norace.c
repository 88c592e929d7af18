// A nest of two loops: each element waits for its neighbours above and to the left.
// expect: race-free all-schedules
#include <assert.h>
#define N 6

int a[N][N];

int main(void) {
#pragma omp parallel for ordered(2)
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++) {
#pragma omp ordered depend(sink : i - 1, j) depend(sink : i, j - 1)
      a[i][j] = i && j ? a[i - 1][j] + a[i][j - 1] : 1;
#pragma omp ordered depend(source)
    }
  assert(a[2][2] == 6);
  return 0;
}
