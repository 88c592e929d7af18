// With a barrier before and after, the variable can be read on both sides of the loop.
// expect: race-free all-schedules
#include <assert.h>
#define N 12

int last = -1, before, after;

int main(void) {
#pragma omp parallel
  {
#pragma omp single
    before = last;
#pragma omp for lastprivate(last)
    for (int i = 0; i < N; i++)
      last = i;
#pragma omp single nowait
    after = last;
  }
  assert(before == -1 && after == N - 1);
  return 0;
}
