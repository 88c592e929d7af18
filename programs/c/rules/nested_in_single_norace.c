// One single creates the inner team; its end joins the inner team.
// expect: race-free all-schedules
#include <assert.h>
#include <omp.h>
#define N 6

int a[N], sum;

int main(void) {
  omp_set_max_active_levels(2);
#pragma omp parallel
  {
#pragma omp single
    {
#pragma omp parallel for
      for (int i = 0; i < N; i++)
        a[i] = i;
    }
#pragma omp for reduction(+ : sum)
    for (int i = 0; i < N; i++)
      sum += a[i];
  }
  assert(sum == 15);
  return 0;
}
