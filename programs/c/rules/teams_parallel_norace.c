// Each team has a parallel region of its own; its end joins the threads of the team.
// expect: race-free all-schedules
#include <assert.h>
#define N 6

int main(void) {
#pragma omp teams
  {
    int a[N], sum = 0;
#pragma omp parallel for
    for (int i = 0; i < N; i++)
      a[i] = i;
    for (int i = 0; i < N; i++)
      sum += a[i];
    assert(sum == 15);
  }
  return 0;
}
