// A single task runs all the iterations in order.
// expect: race-free all-schedules
#include <assert.h>
#define N 30

int count;

int main(void) {
#pragma omp parallel
#pragma omp single
  {
#pragma omp taskloop num_tasks(1)
    for (int i = 0; i < N; i++)
      count++;
    assert(count == N);
  }
  return 0;
}
