// Large blocks, each freed by the task that got it: the same memory goes from task to task.
// expect: race-free all-schedules
#include <stdlib.h>
#define SIZE 100000

int main(void) {
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < 20; i++) {
#pragma omp task
    {
      char *block = malloc(SIZE);
      for (int j = 0; j < SIZE; j += 1000)
        block[j] = j;
      free(block);
      char *smaller = malloc(SIZE / 3);
      smaller[i] = 1;
      free(smaller);
    }
  }
  return 0;
}
