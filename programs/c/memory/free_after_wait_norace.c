// The block is freed after the task that uses it.
// expect: race-free all-schedules
#include <stdlib.h>

int main(void) {
#pragma omp parallel
#pragma omp single
  {
    int *block = malloc(4 * sizeof *block);
#pragma omp task
    block[2] = 1;
#pragma omp taskwait
    free(block);
  }
  return 0;
}
