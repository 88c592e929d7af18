// Both threads hold one lock and wait for the other.
// expect: deadlock
#include <omp.h>

omp_lock_t lock[2];

int main(void) {
  omp_init_lock(&lock[0]);
  omp_init_lock(&lock[1]);
#pragma omp parallel num_threads(2)
  {
    int me = omp_get_thread_num();
    omp_set_lock(&lock[me]);
#pragma omp barrier
    omp_set_lock(&lock[1 - me]);
    omp_unset_lock(&lock[1 - me]);
    omp_unset_lock(&lock[me]);
  }
  return 0;
}
