// As init_before_reduction_racy, with one thread that sets the sum.
// expect: race-free all-schedules
// prints: 45
#include <assert.h>
#include <stdio.h>
int sum;

int main(void) {
#pragma omp parallel num_threads(4)
  {
#pragma omp single
    sum = 0;
#pragma omp for reduction(+ : sum)
    for (int i = 0; i < 10; i++)
      sum += i;
  }
  printf("%d\n", sum);
  assert(sum == 45);
  return 0;
}
