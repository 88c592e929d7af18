// Tasks are the owners of locks: each takes and releases its own.
// expect: race-free observed-schedule
#include <assert.h>
#include <omp.h>

int total;

int main(void) {
  omp_lock_t lock;
  omp_init_lock(&lock);
#pragma omp parallel
#pragma omp single
  for (int i = 1; i <= 6; i++) {
#pragma omp task firstprivate(i)
    {
      omp_set_lock(&lock);
      total += i;
      omp_unset_lock(&lock);
    }
  }
  omp_destroy_lock(&lock);
  assert(total == 21);
  return 0;
}
