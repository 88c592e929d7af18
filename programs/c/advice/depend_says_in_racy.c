// Both tasks have a `depend`, and both say that they only read.
// expect: race
// advice: depend-inout taskwait
// prints: 6
#include <stdio.h>
int x, y;

int main(void) {
#pragma omp parallel
#pragma omp single
  {
#pragma omp task depend(in : x)
    x = 5; //~ race x #1
#pragma omp task depend(in : x)
    y = x + 1; //~ race x #1
  }
  printf("%d\n", y);
  return 0;
}
