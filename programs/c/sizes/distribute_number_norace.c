// The program asks how many teams there are, and is judged for as many.
// expect: race-free all-schedules
#include <assert.h>
#include <omp.h>
#define N 12
int hits[N];

int main(void) {
#pragma omp teams
  {
    int teams = omp_get_num_teams();
#pragma omp distribute dist_schedule(static, 1)
    for (int i = 0; i < N; i++)
      hits[i % teams]++;
  }
  assert(hits[0] > 0);
  return 0;
}
