// A task sets a lock it already holds.
// expect: program-error
// message: holds this lock already
#include <omp.h>

int main(void) {
  omp_lock_t lock;
  omp_init_lock(&lock);
  omp_set_lock(&lock);
  omp_set_lock(&lock);
  omp_unset_lock(&lock);
  omp_destroy_lock(&lock);
  return 0;
}
