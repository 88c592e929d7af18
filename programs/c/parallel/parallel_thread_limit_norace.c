// Of three threads, two are in use: the first inner team gets the third, and the one inside it none.
// expect: race-free all-schedules
// env: OMP_THREAD_LIMIT=3
// env: OMP_NUM_THREADS=2,2
#include <assert.h>
#include <omp.h>

int sizes[3];

int main(void) {
  assert(omp_get_thread_limit() == 3);
#pragma omp parallel
  if (omp_get_thread_num() == 0) {
    sizes[0] = omp_get_num_threads();
#pragma omp parallel
    if (omp_get_thread_num() == 0) {
      sizes[1] = omp_get_num_threads();
#pragma omp parallel
      sizes[2]++;
    }
  }
  assert(sizes[0] == 2 && sizes[1] == 2 && sizes[2] == 1);
  return 0;
}
