// Every team has its element.
// expect: race-free all-schedules
#include <assert.h>
#include <omp.h>

int a[4];

int main(void) {
#pragma omp teams num_teams(4) thread_limit(2)
  a[omp_get_team_num()] = omp_get_num_teams();
  assert(a[0] >= 1);
  return 0;
}
