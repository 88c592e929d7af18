// Two locks in opposite order. The run does not come to the deadlock.
// expect: deadlock
// run: race-free
// executions: 3
// twin: examples/deadlock_two_locks
#include <omp.h>
omp_lock_t a, b;

static void both(omp_lock_t *one, omp_lock_t *other) {
  omp_set_lock(one);
  omp_set_lock(other);
  omp_unset_lock(other);
  omp_unset_lock(one);
}

int main(void) {
  omp_init_lock(&a);
  omp_init_lock(&b);
#pragma omp parallel sections num_threads(2)
  {
#pragma omp section
    both(&a, &b);
#pragma omp section
    both(&b, &a);
  }
  return 0;
}
