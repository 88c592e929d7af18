// A task that is waited for in the ordered region is part of the order.
// expect: race-free all-schedules
#include <assert.h>
#define N 6

int sum;

int main(void) {
#pragma omp parallel for ordered
  for (int i = 0; i < N; i++) {
#pragma omp ordered
    {
#pragma omp task
      sum += i;
#pragma omp taskwait
    }
  }
  assert(sum == 15);
  return 0;
}
