// The iterations are dealt to the teams.
// expect: race-free all-schedules
#include <assert.h>
#define N 24

int a[N];

int main(void) {
#pragma omp teams distribute num_teams(3)
  for (int i = 0; i < N; i++)
    a[i] = i;
  for (int i = 0; i < N; i++)
    assert(a[i] == i);
  return 0;
}
