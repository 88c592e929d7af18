// Nestable locks nest in themselves, not in each other.
// expect: deadlock
// run: race-free
// executions: 3
#include <omp.h>
omp_nest_lock_t a, b;

static void both(omp_nest_lock_t *one, omp_nest_lock_t *other) {
  omp_set_nest_lock(one);
  omp_set_nest_lock(one);
  omp_set_nest_lock(other);
  omp_unset_nest_lock(other);
  omp_unset_nest_lock(one);
  omp_unset_nest_lock(one);
}

int main(void) {
  omp_init_nest_lock(&a);
  omp_init_nest_lock(&b);
#pragma omp parallel sections num_threads(2)
  {
#pragma omp section
    both(&a, &b);
#pragma omp section
    both(&b, &a);
  }
  return 0;
}
