// One task frees a large block before another reads from it; the memory of blocks of this size stays with the process.
// expect: race
#include <stdlib.h>
#define SIZE 100000

int seen;

int main(void) {
  char *block = malloc(SIZE);
  block[77] = 1;
#pragma omp parallel
#pragma omp single
  {
#pragma omp task
    free(block); //~ race block[] #1
#pragma omp task
    seen = block[77]; //~ race block[] #1
  }
  return 0;
}
