// The master construct has no barrier.
// expect: race
#include <omp.h>

int x, seen[4];

int main(void) {
#pragma omp parallel num_threads(4)
  {
#pragma omp master
    x = 1; //~ race x #1
    seen[omp_get_thread_num()] = x; //~ race x #1
  }
  return 0;
}
