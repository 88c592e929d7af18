// A task aborts the program.
// expect: program-error
// message: abort
#include <stdlib.h>

int x;

int main(void) {
#pragma omp parallel
#pragma omp single
  {
#pragma omp task
    abort();
#pragma omp taskwait
    x = 1;
  }
  return 0;
}
