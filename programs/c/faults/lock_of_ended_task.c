// A lock is used that was a local variable of a task that has ended.
// expect: program-error
// message: a lock is set that was a local variable of a function that has returned
#include <omp.h>

omp_lock_t *lock;

int main(void) {
#pragma omp parallel num_threads(2)
#pragma omp single
  {
#pragma omp task
    {
      omp_lock_t mine;
      omp_init_lock(&mine);
      lock = &mine;
    }
#pragma omp taskwait
    omp_set_lock(lock);
  }
  return 0;
}
