// A lock is released that nobody holds.
// expect: program-error
// message: lock
#include <omp.h>

int main(void) {
  omp_lock_t lock;
  omp_init_lock(&lock);
  omp_unset_lock(&lock);
  omp_destroy_lock(&lock);
  return 0;
}
