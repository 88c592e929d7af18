// A taskloop ends its group before it goes on: the last value is there.
// expect: race-free all-schedules
#include <assert.h>
#define N 12

int last, seen;

int main(void) {
#pragma omp parallel
#pragma omp single
  {
#pragma omp taskloop lastprivate(last)
    for (int i = 0; i < N; i++)
      last = i;
    seen = last;
  }
  assert(seen == N - 1);
  return 0;
}
