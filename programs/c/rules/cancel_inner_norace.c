// Cancelling an inner parallel region leaves the outer one.
// expect: race-free observed-schedule
// env: OMP_CANCELLATION=true
#include <assert.h>
#include <omp.h>
#define N 12

int a[N];

int main(void) {
  omp_set_max_active_levels(2);
#pragma omp parallel
  {
#pragma omp parallel
    {
#pragma omp cancel parallel
    }
#pragma omp for
    for (int i = 0; i < N; i++)
      a[i] = 1;
  }
  for (int i = 0; i < N; i++)
    assert(a[i] == 1);
  return 0;
}
