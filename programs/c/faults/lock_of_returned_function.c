// A lock is used that was a local variable of a function that has returned.
// expect: program-error
// message: a nestable lock is set that was a local variable of a function that has returned
#include <omp.h>

omp_nest_lock_t *lock;

__attribute__((noinline)) static void initialise(void) {
  omp_nest_lock_t mine;
  lock = &mine;
  omp_init_nest_lock(lock);
}

int main(void) {
  initialise();
  omp_set_nest_lock(lock);
  int x = 0;
#pragma omp parallel num_threads(2) reduction(+ : x)
  x++;
  return x - 2;
}
