// One thread publishes the address of its copy, and another writes through it.
// expect: race
#include <omp.h>

int mine, *published, seen;
#pragma omp threadprivate(mine)

int main(void) {
#pragma omp parallel num_threads(2)
  {
    if (omp_get_thread_num() == 1)
      published = &mine;
#pragma omp barrier
    if (omp_get_thread_num() == 0)
      *published = 7; //~ race mine #1
    else
      seen = mine; //~ race mine #1
  }
  return 0;
}
