// With nowait a barrier before the read is enough.
// expect: race-free all-schedules
#include <assert.h>
#define N 12

int last, seen;

int main(void) {
#pragma omp parallel
  {
#pragma omp for lastprivate(last) nowait
    for (int i = 0; i < N; i++)
      last = i;
#pragma omp barrier
#pragma omp single
    seen = last;
  }
  assert(seen == N - 1);
  return 0;
}
