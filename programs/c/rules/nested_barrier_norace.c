// The inner barrier orders the inner team: a loop without a barrier, and then a single.
// expect: race-free all-schedules
#include <assert.h>
#include <omp.h>
#define N 6

int main(void) {
  omp_set_max_active_levels(2);
#pragma omp parallel
  {
    int a[N], sum = 0;
#pragma omp parallel
    {
#pragma omp for nowait
      for (int i = 0; i < N; i++)
        a[i] = i;
#pragma omp barrier
#pragma omp single
      for (int i = 0; i < N; i++)
        sum += a[i];
    }
    assert(sum == 15);
  }
  return 0;
}
