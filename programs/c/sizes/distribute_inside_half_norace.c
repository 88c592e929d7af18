// The clause sets the number of teams: both iterations are in the first half.
// expect: race-free all-schedules
#include <assert.h>
#define N 40
int a[N];

int main(void) {
#pragma omp teams distribute dist_schedule(static) num_teams(2)
  for (int i = 0; i < N; i++)
    if (i == 4)
      a[i] = 1;
    else if (i == 8)
      a[i - 4] = 2;
  assert(a[4] == 2);
  return 0;
}
