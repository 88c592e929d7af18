// A region ends with a barrier: the next region and the code after it see what it wrote.
// expect: race-free all-schedules
#include <assert.h>
#include <omp.h>

int a[4], b[4];

int main(void) {
#pragma omp parallel num_threads(4)
  a[omp_get_thread_num()] = omp_get_thread_num();
#pragma omp parallel num_threads(4)
  b[omp_get_thread_num()] = a[3 - omp_get_thread_num()];
  for (int i = 0; i < 4; i++)
    assert(b[i] == 3 - i);
  return 0;
}
