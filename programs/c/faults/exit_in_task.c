// A task ends the program. That is allowed; what the other tasks would have done is not known.
// expect: race-free observed-schedule
#include <stdlib.h>

int x;

int main(void) {
#pragma omp parallel
#pragma omp single
  {
#pragma omp task
    exit(0);
#pragma omp taskwait
    x = 1;
  }
  return 1;
}
