// Each inner team has its own single: they are parallel to each other.
// expect: race
#include <omp.h>

int x;

int main(void) {
  omp_set_max_active_levels(2);
#pragma omp parallel
#pragma omp parallel
#pragma omp single
  x++; //~ race x #1
  return 0;
}
