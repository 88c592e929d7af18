// The variable has the value of the last iteration after the loop's barrier.
// expect: race-free all-schedules
#include <assert.h>
#define N 40

int main(void) {
  int last = -1;
#pragma omp parallel num_threads(4)
  {
#pragma omp for lastprivate(last) schedule(monotonic : dynamic)
    for (int i = 0; i < N; i++)
      last = i;
    assert(last == N - 1);
  }
  assert(last == N - 1);
  return 0;
}
