// Two loops with the same bounds and static schedule: a thread gets the same iterations of both, so no barrier is needed.
// expect: race-free all-schedules
#include <assert.h>
#define N 40

int a[N], b[N];

int main(void) {
#pragma omp parallel
  {
#pragma omp for schedule(static) nowait
    for (int i = 0; i < N; i++)
      a[i] = i;
#pragma omp for schedule(static) nowait
    for (int i = 0; i < N; i++)
      b[i] = 2 * a[i];
  }
  for (int i = 0; i < N; i++)
    assert(b[i] == 2 * i);
  return 0;
}
