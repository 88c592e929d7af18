// The task modifier on a worksharing loop.
// expect: race-free all-schedules
#include <assert.h>

int main(void) {
  int sum = 0;
#pragma omp parallel num_threads(4)
  {
#pragma omp for reduction(task, + : sum)
    for (int i = 0; i < 8; i++) {
#pragma omp task in_reduction(+ : sum) firstprivate(i)
      sum += i;
    }
  }
  assert(sum == 28);
  return 0;
}
