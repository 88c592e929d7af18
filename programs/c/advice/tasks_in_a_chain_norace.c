// As tasks_in_a_chain_racy, with a dependence.
// expect: race-free all-schedules
// prints: 31
#include <assert.h>
#include <stdio.h>
int x = 1;

int main(void) {
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < 4; i++) {
#pragma omp task depend(inout : x)
    x = x * 2 + 1;
  }
  printf("%d\n", x);
  assert(x == 31);
  return 0;
}
