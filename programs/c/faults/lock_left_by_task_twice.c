// A task takes a lock and ends. The next task, which may have its number, does not hold the lock.
// expect: deadlock
#include <omp.h>

omp_lock_t lock;
int x;

int main(void) {
  omp_init_lock(&lock);
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < 2; i++) {
#pragma omp task
    {
      omp_set_lock(&lock);
      x++;
    }
#pragma omp taskwait
  }
  return 0;
}
