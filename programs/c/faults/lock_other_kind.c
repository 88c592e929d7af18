// A nestable lock is set as a simple one.
// expect: program-error
// message: of the other kind
#include <omp.h>

int main(void) {
  omp_nest_lock_t lock;
  omp_init_nest_lock(&lock);
  omp_set_lock((omp_lock_t *)&lock);
  omp_unset_lock((omp_lock_t *)&lock);
  return 0;
}
