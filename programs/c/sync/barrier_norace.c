// Two phases with a barrier between.
// expect: race-free all-schedules
#include <assert.h>
#include <omp.h>

int a[4], b[4];

int main(void) {
#pragma omp parallel num_threads(4)
  {
    int me = omp_get_thread_num();
    a[me] = me;
#pragma omp barrier
    b[me] = a[(me + 1) % 4];
  }
  for (int i = 0; i < 4; i++)
    assert(b[i] == (i + 1) % 4);
  return 0;
}
