// Outside of any parallel region a task is run by the one thread there is, but it is still joined only by a taskwait. The
// region after it is what makes the program one to judge.
// expect: race-free all-schedules
#include <assert.h>

int x;
int seen[8];

int main(void) {
#pragma omp task
  x = 1;
#pragma omp taskwait
#pragma omp parallel for num_threads(4)
  for (int i = 0; i < 8; i++)
    seen[i] = x;
  assert(x == 1 && seen[7] == 1);
  return 0;
}
