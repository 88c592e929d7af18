// A chunk opens a parallel region of its own, with a dynamic loop in it.
// expect: race-free all-schedules
// env: OMP_MAX_ACTIVE_LEVELS=2
#include <assert.h>
#define N 12

int a[N][N];

int main(void) {
#pragma omp parallel for schedule(dynamic) num_threads(2)
  for (int i = 0; i < N; i++) {
    int row = i;
#pragma omp parallel for schedule(dynamic) num_threads(2)
    for (int j = 0; j < N; j++)
      a[row][j] = row * j;
    for (int j = 0; j < N; j++)
      assert(a[row][j] == row * j);
  }
  return 0;
}
