// The loop construct says only that the iterations may run at the same time.
// expect: race-free all-schedules
#include <assert.h>
#define N 40

int a[N];

int main(void) {
#pragma omp parallel
  {
#pragma omp loop
    for (int i = 0; i < N; i++)
      a[i] += i;
  }
  for (int i = 0; i < N; i++)
    assert(a[i] == i);
  return 0;
}
