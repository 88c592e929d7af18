// A barrier in the inner region is one of the inner team only.
// expect: race
#include <omp.h>

int x, seen;

int main(void) {
  omp_set_max_active_levels(2);
#pragma omp parallel
  {
#pragma omp single nowait
    x = 1; //~ race x #1
#pragma omp parallel
    {
#pragma omp barrier
    }
#pragma omp masked
    seen = x; //~ race x #1
  }
  return 0;
}
