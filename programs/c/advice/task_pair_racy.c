// A task that makes a value and one that uses it.
// expect: race
// advice: depend taskwait
// prints: 43
#include <stdio.h>
int x, y;

int main(void) {
#pragma omp parallel
#pragma omp single
  {
#pragma omp task
    x = 42; //~ race x #1
#pragma omp task
    y = x + 1; //~ race x #1
  }
  printf("%d\n", y);
  return 0;
}
