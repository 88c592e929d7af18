// The tasks of the loop are children: a taskwait joins them.
// expect: race-free all-schedules
#include <assert.h>
#define N 12

int a[N];

int main(void) {
#pragma omp parallel
#pragma omp single
  {
#pragma omp taskloop nogroup
    for (int i = 0; i < N; i++)
      a[i] = i;
#pragma omp taskwait
    for (int i = 0; i < N; i++)
      assert(a[i] == i);
  }
  return 0;
}
