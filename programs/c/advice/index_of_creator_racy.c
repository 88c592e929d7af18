// Tasks that should use the index as it was when they were created.
// expect: race
// advice: taskwait firstprivate
// holds: firstprivate
// prints: 6
#include <stdio.h>
int index_, got[4];

int main(void) {
#pragma omp parallel
#pragma omp single
  for (index_ = 0; index_ < 4; index_++) { //~ race index_ #1
#pragma omp task
    {
      int own = index_; //~ race index_ #1
      got[own] = own;
    }
  }
  printf("%d\n", got[0] + got[1] + got[2] + got[3]);
  return 0;
}
