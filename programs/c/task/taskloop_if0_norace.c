// With a false condition the tasks of the loop run one after another.
// expect: race-free all-schedules
#include <assert.h>
#define N 12

int count;

int main(void) {
#pragma omp parallel
#pragma omp single
  {
#pragma omp taskloop if (0) grainsize(2)
    for (int i = 0; i < N; i++)
      count++;
    assert(count == N);
  }
  return 0;
}
