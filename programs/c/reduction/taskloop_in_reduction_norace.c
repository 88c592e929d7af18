// A task loop and a task share the reduction of their group.
// expect: race-free all-schedules
#include <assert.h>

int main(void) {
  long sum = 0;
#pragma omp parallel
#pragma omp single
  {
#pragma omp taskgroup task_reduction(+ : sum)
    {
#pragma omp task in_reduction(+ : sum)
      sum += 1000;
#pragma omp taskloop in_reduction(+ : sum) num_tasks(5)
      for (int i = 0; i < 20; i++)
        sum += i;
    }
    assert(sum == 1190);
  }
  return 0;
}
