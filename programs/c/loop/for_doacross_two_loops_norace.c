// A wavefront over two loops: each cell waits for the one above and the one to the left.
// expect: race-free all-schedules
#include <assert.h>
#define N 6

int a[N][N];

int main(void) {
  for (int i = 0; i < N; i++)
    a[i][0] = a[0][i] = 1;
#pragma omp parallel for ordered(2) schedule(dynamic)
  for (int i = 1; i < N; i++)
    for (int j = 1; j < N; j++) {
#pragma omp ordered depend(sink : i - 1, j) depend(sink : i, j - 1)
      a[i][j] = a[i - 1][j] + a[i][j - 1];
#pragma omp ordered depend(source)
    }
  assert(a[N - 1][N - 1] == 252);
  return 0;
}
