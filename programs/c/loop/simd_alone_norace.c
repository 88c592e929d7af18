// A simd loop is run by the thread that meets it.
// expect: race-free all-schedules
#include <assert.h>
#include <omp.h>
#define N 32

int a[4][N];

int main(void) {
#pragma omp parallel num_threads(4)
  {
    int *row = a[omp_get_thread_num()];
#pragma omp simd
    for (int i = 0; i < N; i++)
      row[i] = i;
  }
  assert(a[3][N - 1] == N - 1);
  return 0;
}
