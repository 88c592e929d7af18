// The variable is complete at the end of the taskgroup, also what nested tasks have added.
// expect: race-free all-schedules
#include <assert.h>

int sum, seen;

int main(void) {
#pragma omp parallel
#pragma omp single
  {
#pragma omp taskgroup task_reduction(+ : sum)
    for (int i = 0; i < 4; i++) {
#pragma omp task in_reduction(+ : sum)
      {
        sum += i;
#pragma omp task in_reduction(+ : sum)
        sum += 10;
      }
    }
    seen = sum;
  }
  assert(seen == 46);
  return 0;
}
