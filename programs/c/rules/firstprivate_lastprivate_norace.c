// Every thread reads the original variable before the last iteration's value is assigned to it.
// expect: race-free all-schedules
#include <assert.h>
#define N 12

int last = 5;

int main(void) {
#pragma omp parallel
#pragma omp for firstprivate(last) lastprivate(last)
  for (int i = 0; i < N; i++)
    last = i;
  assert(last == N - 1);
  return 0;
}
