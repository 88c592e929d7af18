// Two distributed loops with the same static schedule give the same iteration to the same team.
// expect: race-free all-schedules
#include <assert.h>
#define N 12

int a[N], b[N];

int main(void) {
#pragma omp teams
  {
#pragma omp distribute dist_schedule(static)
    for (int i = 0; i < N; i++)
      a[i] = i;
#pragma omp distribute dist_schedule(static)
    for (int i = 0; i < N; i++)
      b[i] = a[i];
  }
  for (int i = 0; i < N; i++)
    assert(b[i] == i);
  return 0;
}
