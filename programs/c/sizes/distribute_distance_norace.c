// The clause sets the number of teams: iterations at distance 2 have the same one.
// expect: race-free all-schedules
#include <assert.h>
#define N 12
int a[N];

int main(void) {
#pragma omp teams distribute dist_schedule(static, 1) num_teams(2)
  for (int i = 2; i < N; i++)
    a[i] = a[i - 2] + 1;
  assert(a[N - 1] == N / 2 - 1);
  return 0;
}
