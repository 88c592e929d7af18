// A block is moved while another task reads it.
// expect: race
#include <stdlib.h>

int *block, copy;

int main(void) {
  block = calloc(4, sizeof *block);
  int *old = block;
#pragma omp parallel
#pragma omp single
  {
#pragma omp task
    copy = old[2]; //~ race block[] #1
#pragma omp task
    block = realloc(old, 4000 * sizeof *block); //~ race block[] #1
  }
  free(block);
  return 0;
}
