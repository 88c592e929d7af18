// copyprivate broadcasts a threadprivate variable.
// expect: race-free all-schedules
#include <assert.h>

double mine;
#pragma omp threadprivate(mine)

int main(void) {
#pragma omp parallel num_threads(4)
  {
#pragma omp single copyprivate(mine)
    mine = 2.5;
    assert(mine == 2.5);
    mine = 0.0;
  }
  return 0;
}
