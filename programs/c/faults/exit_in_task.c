// A task ends the program. That is allowed, but one run does not show what the other tasks would have done.
// expect: race-free observed-schedule
#include <stdlib.h>

int x, y;

int main(void) {
#pragma omp parallel
#pragma omp single
  {
#pragma omp task
    x = 1;
#pragma omp task
    exit(0);
#pragma omp task
    y = 1;
  }
  return 1;
}
