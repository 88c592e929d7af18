// A thread-local variable is private only as long as its address is.
// expect: race
#include <omp.h>

_Thread_local int mine;
int *published, seen;

int main(void) {
#pragma omp parallel num_threads(2)
  {
#pragma omp masked filter(1)
    published = &mine;
#pragma omp barrier
#pragma omp masked filter(0)
    *published = 3; //~ race mine #1
#pragma omp masked filter(1)
    seen = mine; //~ race mine #1
  }
  return 0;
}
