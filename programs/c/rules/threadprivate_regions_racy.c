// In the second region all threads take the block of the one that published it.
// expect: race
#include <stdlib.h>

int *mine, *published;
#pragma omp threadprivate(mine)

int main(void) {
#pragma omp parallel
  {
    mine = calloc(1, sizeof *mine);
#pragma omp single
    published = mine;
  }
#pragma omp parallel
  {
    mine = published;
    *mine += 1; //~ race mine #1
  }
  return 0;
}
