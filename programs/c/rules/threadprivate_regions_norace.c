// A block that a thread keeps in its threadprivate variable is its own in the next region.
// expect: race-free all-schedules
#include <assert.h>
#include <stdlib.h>

int *mine;
#pragma omp threadprivate(mine)

int main(void) {
#pragma omp parallel
  {
    mine = malloc(sizeof *mine);
    *mine = 1;
  }
#pragma omp parallel
  {
    *mine += 1;
    assert(*mine == 2);
  }
#pragma omp parallel
  free(mine);
  return 0;
}
