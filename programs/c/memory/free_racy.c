// One task frees what another still writes.
// expect: race
#include <stdlib.h>

int main(void) {
  int *block = malloc(4 * sizeof *block);
#pragma omp parallel
#pragma omp single
  {
#pragma omp task
    block[2] = 1; //~ race block[] #1
#pragma omp task
    free(block); //~ race block[] #1
  }
  return 0;
}
