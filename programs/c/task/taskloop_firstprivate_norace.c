// Each task of the loop has its own copy to spoil.
// expect: race-free all-schedules
#include <assert.h>
#define N 12

int a[N];

int main(void) {
  int base = 100;
#pragma omp parallel
#pragma omp single
  {
#pragma omp taskloop firstprivate(base) grainsize(1)
    for (int i = 0; i < N; i++) {
      base += i;
      a[i] = base;
    }
  }
  assert(base == 100 && a[0] == 100);
  return 0;
}
