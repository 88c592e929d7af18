// A task loop waits for its tasks.
// expect: race-free all-schedules
#include <assert.h>
#define N 30

int a[N];

int main(void) {
#pragma omp parallel
#pragma omp single
  {
#pragma omp taskloop
    for (int i = 0; i < N; i++)
      a[i] = i;
    for (int i = 0; i < N; i++)
      assert(a[i] == i);
  }
  return 0;
}
