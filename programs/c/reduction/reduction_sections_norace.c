// Two sections add to copies of their own.
// expect: race-free all-schedules
#include <assert.h>

int main(void) {
  double sum = 0.5;
#pragma omp parallel sections reduction(+ : sum)
  {
#pragma omp section
    sum += 1.0;
#pragma omp section
    sum += 2.0;
  }
  assert(sum == 3.5);
  return 0;
}
