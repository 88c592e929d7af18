// A task may be suspended between its two accesses; they are its own.
// expect: race-free all-schedules
#include <assert.h>

int a[6];

int main(void) {
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < 6; i++) {
#pragma omp task
    {
      a[i] = i;
#pragma omp taskyield
      a[i] += i;
    }
  }
  assert(a[5] == 10);
  return 0;
}
