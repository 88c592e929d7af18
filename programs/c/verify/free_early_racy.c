// Who takes the last use of a block frees it; the first thread reads it after its last use.
// expect: race
// run: race-free
// executions: 2
#include <stdlib.h>
int uses = 2, sum;

static int is_last(void) {
  int left;
#pragma omp critical
  left = --uses;
  return left == 0;
}

int main(void) {
  int *block = calloc(1, sizeof *block);
#pragma omp parallel sections num_threads(2)
  {
#pragma omp section
    {
      if (is_last())
        sum = block[0]; //~ race block[] #1
    }
#pragma omp section
    {
      int last = is_last();
      if (!last)
        free(block); //~ race block[] #1
    }
  }
  return 0;
}
