// Which thread executes the single is open; the copy it uses is that thread's own.
// expect: race-free all-schedules
#include <assert.h>

int mine;
#pragma omp threadprivate(mine)

int main(void) {
#pragma omp parallel
  {
    mine = 1;
#pragma omp single nowait
    mine = 2;
    assert(mine > 0);
    mine = 3;
  }
  return 0;
}
