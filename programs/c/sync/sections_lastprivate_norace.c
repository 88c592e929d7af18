// The value after the construct is that of the last section.
// expect: race-free all-schedules
#include <assert.h>

int main(void) {
  int x = 0;
#pragma omp parallel sections lastprivate(x)
  {
#pragma omp section
    x = 1;
#pragma omp section
    x = 2;
#pragma omp section
    x = 3;
  }
  assert(x == 3);
  return 0;
}
