// Tasks that take part in the reduction of their group.
// expect: race-free all-schedules
#include <assert.h>
#define N 20

int main(void) {
  int sum = 0;
#pragma omp parallel
#pragma omp single
  {
#pragma omp taskgroup task_reduction(+ : sum)
    for (int i = 0; i < N; i++) {
#pragma omp task in_reduction(+ : sum) firstprivate(i)
      sum += i;
    }
    assert(sum == N * (N - 1) / 2);
  }
  return 0;
}
