// The task modifier lets tasks of the region take part in its reduction.
// expect: race-free all-schedules
#include <assert.h>

int main(void) {
  int sum = 0;
#pragma omp parallel reduction(task, + : sum) num_threads(4)
  {
    sum += 1;
#pragma omp single
    for (int i = 0; i < 5; i++) {
#pragma omp task in_reduction(+ : sum)
      sum += 10;
    }
  }
  assert(sum == 54);
  return 0;
}
