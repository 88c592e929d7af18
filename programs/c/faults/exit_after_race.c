// What was found before a task ended the program is reported.
// expect: race
#include <stdlib.h>

int x;

int main(void) {
#pragma omp parallel num_threads(2)
  x++; //~ race x #1
#pragma omp parallel
#pragma omp single
  {
#pragma omp task
    exit(0);
  }
  return 0;
}
