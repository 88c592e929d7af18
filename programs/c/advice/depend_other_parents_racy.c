// A `depend` orders tasks of one parent. It stands on both already.
// expect: race
// advice: taskgroup
// prints: 8
#include <stdio.h>
int x, y;

int main(void) {
#pragma omp parallel
#pragma omp single
  {
#pragma omp task
    {
#pragma omp task depend(out : x)
      x = 7; //~ race x #1
    }
#pragma omp task
    {
#pragma omp task depend(in : x)
      y = x + 1; //~ race x #1
    }
  }
  printf("%d\n", y);
  return 0;
}
