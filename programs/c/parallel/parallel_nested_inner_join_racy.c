// The end of an inner region joins its own team, not the other outer threads.
// expect: race
#include <omp.h>

int x, got[2];

int main(void) {
  omp_set_max_active_levels(2);
#pragma omp parallel num_threads(2)
  {
    int outer = omp_get_thread_num();
#pragma omp parallel num_threads(2) if (outer == 0)
    {
      if (outer == 0 && omp_get_thread_num() == 1)
        x = 1; //~ race x #1
    }
    if (outer == 1)
      got[outer] = x; //~ race x #1
  }
  return 0;
}
