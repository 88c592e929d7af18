// A lock is used after it was destroyed.
// expect: program-error
// message: was destroyed before
#include <omp.h>

int main(void) {
  omp_lock_t lock;
  omp_init_lock(&lock);
  omp_destroy_lock(&lock);
#pragma omp parallel
  {
    omp_set_lock(&lock);
    omp_unset_lock(&lock);
  }
  return 0;
}
