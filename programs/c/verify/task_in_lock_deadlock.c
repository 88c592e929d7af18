// A lock is held while a task is waited for that needs it, if that has not had it by then.
// expect: deadlock
// run: race-free
// executions: 2
#include <omp.h>
omp_lock_t lock;
int done;

int main(void) {
  omp_init_lock(&lock);
#pragma omp parallel num_threads(2)
#pragma omp single
  {
#pragma omp task
    {
      omp_set_lock(&lock);
      done = 1;
      omp_unset_lock(&lock);
    }
    omp_set_lock(&lock);
#pragma omp taskwait
    omp_unset_lock(&lock);
  }
  return 0;
}
