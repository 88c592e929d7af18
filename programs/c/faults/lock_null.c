// A null pointer is set as a lock.
// expect: program-error
// message: null pointer is set as a lock
#include <omp.h>

omp_lock_t *volatile lock;

int main(void) {
#pragma omp parallel
  omp_set_lock(lock);
  return 0;
}
