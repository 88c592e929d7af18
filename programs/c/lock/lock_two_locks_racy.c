// Each thread takes a lock, but not the same one.
// expect: race
#include <omp.h>

int counter;

int main(void) {
  omp_lock_t lock[2];
  omp_init_lock(&lock[0]);
  omp_init_lock(&lock[1]);
#pragma omp parallel num_threads(2)
  {
    omp_lock_t *mine = &lock[omp_get_thread_num()];
    omp_set_lock(mine);
    counter++; //~ race counter #1
    omp_unset_lock(mine);
  }
  omp_destroy_lock(&lock[0]);
  omp_destroy_lock(&lock[1]);
  return 0;
}
