// A local variable of the creator, shared by its tasks.
// expect: race-free all-schedules
// run: race-free
// executions: 6
#include <assert.h>

int main(void) {
#pragma omp parallel num_threads(2)
#pragma omp single
  {
    int sum = 0;
    for (int i = 1; i <= 3; i++) {
#pragma omp task shared(sum) firstprivate(i)
      {
#pragma omp critical
        sum += i;
      }
    }
#pragma omp taskwait
    assert(sum == 6);
  }
  return 0;
}
