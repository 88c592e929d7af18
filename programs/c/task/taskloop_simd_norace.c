// Tasks of vectorised iterations, started by the master.
// expect: race-free all-schedules
#include <assert.h>
#define N 32

int a[N];

int main(void) {
#pragma omp parallel master taskloop simd
  for (int i = 0; i < N; i++)
    a[i] = 2 * i;
  for (int i = 0; i < N; i++)
    assert(a[i] == 2 * i);
  return 0;
}
