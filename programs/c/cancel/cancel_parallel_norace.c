// A barrier is a cancellation point: no thread goes past it once the region is cancelled.
// expect: race-free observed-schedule
// env: OMP_CANCELLATION=true
#include <assert.h>
#include <omp.h>

int a[4];

int main(void) {
#pragma omp parallel num_threads(4)
  {
    int me = omp_get_thread_num();
    a[me] = 1;
#pragma omp cancel parallel if (me == 1)
#pragma omp barrier
    a[(me + 1) % 4] = 2;
  }
  for (int i = 0; i < 4; i++)
    assert(a[i] == 1);
  return 0;
}
