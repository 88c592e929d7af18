// The memory of a lock was freed and is used again, for a lock that nobody initialises.
// expect: program-error
// message: a lock is set that was never initialised
#include <omp.h>
#include <stdlib.h>
#include <string.h>

int main(void) {
  omp_lock_t *volatile first = malloc(sizeof *first);
  omp_init_lock(first);
  free(first);
  omp_lock_t *volatile lock = malloc(sizeof *lock);
  memset(lock, 0, sizeof *lock);
  if (lock != first)
    omp_init_lock(lock); // not the case that is meant
#pragma omp parallel num_threads(2)
  {
    omp_set_lock(lock);
    omp_unset_lock(lock);
  }
  free(lock);
  return 0;
}
