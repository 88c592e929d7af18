// One section needs the result of another: a barrier must not stand in either.
// expect: race
// advice: one-section
// prints: 42
#include <stdio.h>
int x, y;

int main(void) {
#pragma omp parallel num_threads(2)
#pragma omp sections
  {
#pragma omp section
    x = 41; //~ race x #1
#pragma omp section
    y = x + 1; //~ race x #1
  }
  printf("%d\n", y);
  return 0;
}
