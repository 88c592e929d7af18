// Private copies in memory of an OpenMP allocator, and blocks of it.
// expect: race-free all-schedules
#include <assert.h>
#include <omp.h>

int main(void) {
  int sum = 0, work[16];
#pragma omp parallel private(work) allocate(omp_default_mem_alloc : work) reduction(+ : sum) num_threads(3)
  {
    int *block = omp_alloc(16 * sizeof(int), omp_default_mem_alloc);
    for (int i = 0; i < 16; i++)
      block[i] = work[i] = i;
    for (int i = 0; i < 16; i++)
      sum += block[i] - work[i] + 1;
    omp_free(block, omp_default_mem_alloc);
  }
  assert(sum == 48);
  return 0;
}
