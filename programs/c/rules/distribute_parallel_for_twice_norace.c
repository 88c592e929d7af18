// One thread of one team has an iteration; the next loop of the same schedule reads its own.
// expect: race-free all-schedules
#include <assert.h>
#define N 12

int a[N];

int main(void) {
#pragma omp teams
  {
#pragma omp distribute parallel for dist_schedule(static) schedule(static)
    for (int i = 0; i < N; i++)
      a[i] = i;
#pragma omp distribute parallel for dist_schedule(static) schedule(static)
    for (int i = 0; i < N; i++)
      a[i] += 1;
  }
  for (int i = 0; i < N; i++)
    assert(a[i] == i + 1);
  return 0;
}
