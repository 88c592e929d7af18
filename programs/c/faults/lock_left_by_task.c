// A task takes a lock and ends; who waits for it then waits for ever.
// expect: deadlock
#include <omp.h>

omp_lock_t lock;
int x;

int main(void) {
  omp_init_lock(&lock);
#pragma omp parallel
#pragma omp single
  {
#pragma omp task
    {
      omp_set_lock(&lock);
      x = 1;
    }
#pragma omp taskwait
    omp_set_lock(&lock);
    x = 2;
    omp_unset_lock(&lock);
  }
  return 0;
}
