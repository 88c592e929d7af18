// Members write different elements; tasks before and after the set are ordered with all of them.
// expect: race-free all-schedules
#include <assert.h>

int a[4];

int main(void) {
#pragma omp parallel
#pragma omp single
  {
#pragma omp task depend(out : a)
    for (int i = 0; i < 4; i++)
      a[i] = 1;
    for (int i = 0; i < 4; i++) {
#pragma omp task depend(inoutset : a)
      a[i] += i;
    }
#pragma omp task depend(in : a)
    assert(a[0] + a[1] + a[2] + a[3] == 10);
  }
  return 0;
}
