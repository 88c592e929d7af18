// The doacross clause of OpenMP 5.2: each iteration waits for the one before, and so for all.
// expect: race-free all-schedules
// flags: -fopenmp-version=52
#include <assert.h>
#define N 12

int a[N];

int main(void) {
#pragma omp parallel for ordered(1)
  for (int i = 0; i < N; i++) {
#pragma omp ordered doacross(sink : i - 1)
    a[i] = i < 3 ? 1 : a[i - 3] + 1;
#pragma omp ordered doacross(source :)
  }
  assert(a[N - 1] == 4);
  return 0;
}
