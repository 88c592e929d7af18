// A nestable lock is destroyed by the task that holds it.
// expect: program-error
// message: destroyed while it is held
#include <omp.h>

int main(void) {
  omp_nest_lock_t lock;
  omp_init_nest_lock(&lock);
  omp_set_nest_lock(&lock);
  omp_destroy_nest_lock(&lock);
  return 0;
}
