// A lock is released by a thread of the next region: its holder, which has ended, was another task.
// expect: program-error
// message: has ended without releasing it
#include <omp.h>

omp_lock_t lock;
int x;

int main(void) {
  omp_init_lock(&lock);
#pragma omp parallel num_threads(2)
  if (omp_get_thread_num() == 1)
    omp_set_lock(&lock);
#pragma omp parallel num_threads(2)
  if (omp_get_thread_num() == 1) {
    x = 1;
    omp_unset_lock(&lock);
  }
  return 0;
}
