// The primary thread of an inner team has the copy of the thread that created it; others reach it by its address.
// expect: race
#include <omp.h>

int mine;
#pragma omp threadprivate(mine)

int main(void) {
  omp_set_max_active_levels(2);
#pragma omp parallel num_threads(2)
  {
    int *own = &mine;
#pragma omp parallel num_threads(2)
    (*own)++; //~ race mine #1
  }
  return 0;
}
