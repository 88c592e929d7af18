// A lock is used after its memory was freed.
// expect: program-error
// message: a lock is set whose memory was freed
#include <omp.h>
#include <stdlib.h>

int main(void) {
  // In the middle of a block, so that free does not overwrite it.
  omp_lock_t *locks = malloc(100 * sizeof *locks);
  omp_init_lock(&locks[50]);
  free(locks);
#pragma omp parallel num_threads(2)
  {
    omp_set_lock(&locks[50]);
    omp_unset_lock(&locks[50]);
  }
  return 0;
}
