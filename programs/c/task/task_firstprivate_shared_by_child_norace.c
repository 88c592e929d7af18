// The task waits for the child that it shares its copy with.
// expect: race-free all-schedules
#include <assert.h>

int before = 3, after;

int main(void) {
  int x = before;
#pragma omp parallel
#pragma omp single
#pragma omp task firstprivate(x)
  {
    x += 2;
#pragma omp task shared(x)
    x++;
#pragma omp taskwait
    after = x;
  }
  assert(after == 6 && x == 3);
  return 0;
}
