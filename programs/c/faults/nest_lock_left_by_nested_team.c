// A thread of an inner team takes a nestable lock and ends.
// expect: deadlock
#include <omp.h>

omp_nest_lock_t lock;
int x;

int main(void) {
  omp_init_nest_lock(&lock);
  omp_set_max_active_levels(2);
#pragma omp parallel num_threads(2)
  {
#pragma omp parallel num_threads(2)
    if (omp_get_thread_num() == 1 && omp_get_ancestor_thread_num(1) == 0)
      omp_set_nest_lock(&lock);
#pragma omp barrier
    if (omp_get_thread_num() == 0) {
      omp_set_nest_lock(&lock);
      x++;
      omp_unset_nest_lock(&lock);
    }
  }
  return 0;
}
