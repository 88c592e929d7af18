// The first ten iterations are in one task, whatever the cut.
// expect: race-free all-schedules
#include <assert.h>
#define N 100

int a[N];

int main(void) {
#pragma omp parallel
#pragma omp single
#pragma omp taskloop grainsize(10)
  for (int i = 0; i < N; i++)
    a[i] = i > 0 && i < 10 ? a[i - 1] + 1 : i;
  for (int i = 0; i < N; i++)
    assert(a[i] == i);
  return 0;
}
