// A queue that is taken from before anything is in it.
// expect: program-error
// run: race-free
// executions: 2
// message: called abort
#include <stdlib.h>
int count, queue[4];

static void put(int value) {
#pragma omp critical
  queue[count++] = value;
}

static int get(void) {
  int value = -1;
#pragma omp critical
  if (count > 0)
    value = queue[--count];
  if (value < 0)
    abort();
  return value;
}

int main(void) {
#pragma omp parallel sections num_threads(2)
  {
#pragma omp section
    put(5);
#pragma omp section
    get();
  }
  return 0;
}
