// The team that a chunk opens reads a variable on the stack of the chunk's thread, whose next chunk writes it.
// expect: race-free all-schedules
// env: OMP_MAX_ACTIVE_LEVELS=2
#include <assert.h>
#define N 8

int out[N][N];

int main(void) {
#pragma omp parallel for schedule(dynamic) num_threads(2)
  for (int i = 0; i < N; i++) {
    int row[N];
    for (int j = 0; j < N; j++)
      row[j] = i * j;
#pragma omp parallel for schedule(dynamic) num_threads(2)
    for (int j = 0; j < N; j++)
      out[i][j] = row[j];
  }
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++)
      assert(out[i][j] == i * j);
  return 0;
}
