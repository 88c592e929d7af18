// The allocation fails, and the program knows what to do.
// expect: race-free all-schedules
#include <stdlib.h>

volatile size_t size = (size_t)1 << 60;
int failed;
char *block;

int main(void) {
#pragma omp parallel
#pragma omp single
  {
#pragma omp task
    {
      block = malloc(size);
      failed = block == NULL;
      free(block);
    }
  }
  return !failed;
}
