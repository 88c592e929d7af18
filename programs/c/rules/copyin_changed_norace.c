// The copies are made before the region starts: the primary thread may change its own at once.
// expect: race-free all-schedules
#include <assert.h>

int mine[4];
#pragma omp threadprivate(mine)

int main(void) {
  for (int round = 1; round < 3; round++) {
    mine[1] = round;
#pragma omp parallel copyin(mine)
    {
      assert(mine[1] == round);
      mine[1] = -1;
    }
  }
  return 0;
}
