// Cancellation is off unless the environment asks for it: the directive does nothing.
// expect: race-free all-schedules
#include <assert.h>
#include <omp.h>
#define N 8

int a[N];

int main(void) {
  assert(!omp_get_cancellation());
#pragma omp parallel
  {
#pragma omp for
    for (int i = 0; i < N; i++) {
      a[i] = 1;
#pragma omp cancel for
    }
  }
  for (int i = 0; i < N; i++)
    assert(a[i] == 1);
  return 0;
}
