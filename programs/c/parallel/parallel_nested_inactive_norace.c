// With one active level the inner regions run on a team of one, so the outer number is enough.
// expect: race-free all-schedules
#include <assert.h>
#include <omp.h>

int a[2];

int main(void) {
  omp_set_max_active_levels(1);
#pragma omp parallel num_threads(2)
  {
    int outer = omp_get_thread_num();
#pragma omp parallel num_threads(4)
    a[outer] += omp_get_num_threads();
  }
  assert(a[0] == 1 && a[1] == 1);
  return 0;
}
