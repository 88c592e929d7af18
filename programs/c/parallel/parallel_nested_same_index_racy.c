// Thread numbers are those of the innermost team: the two inner teams use the same elements.
// expect: race
#include <omp.h>

int a[2];

int main(void) {
  omp_set_max_active_levels(2);
#pragma omp parallel num_threads(2)
  {
#pragma omp parallel num_threads(2)
    a[omp_get_thread_num()] = omp_get_level(); //~ race a[] #1
  }
  return 0;
}
