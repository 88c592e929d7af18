// A list in OMP_NUM_THREADS says the sizes of teams by level, and that there are several.
// expect: race
// env: OMP_NUM_THREADS=2,3
#include <assert.h>
#include <omp.h>

int n;

int main(void) {
  assert(omp_get_max_threads() == 2);
#pragma omp parallel
  {
    assert(omp_get_num_threads() == 2 && omp_get_max_threads() == 3);
    if (omp_get_thread_num() == 0) {
#pragma omp parallel
      {
        assert(omp_get_num_threads() == 3);
        n++; //~ race n #1
      }
    }
  }
  return 0;
}
