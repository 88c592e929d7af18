// The pointer is copied to every thread; what it points to is one block.
// expect: race
#include <stdlib.h>

int main(void) {
  int *block = NULL;
#pragma omp parallel firstprivate(block) num_threads(3)
  {
#pragma omp single copyprivate(block)
    block = calloc(1, sizeof *block);
    *block += 1; //~ race block #1
#pragma omp barrier
#pragma omp single
    free(block);
  }
  return 0;
}
