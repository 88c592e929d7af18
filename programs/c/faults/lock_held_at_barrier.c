// A thread waits at a barrier with a lock that another needs to get there.
// expect: deadlock
#include <omp.h>

omp_lock_t lock;
int x;

int main(void) {
  omp_init_lock(&lock);
#pragma omp parallel num_threads(2)
  {
    omp_set_lock(&lock);
    x++;
#pragma omp barrier
    omp_unset_lock(&lock);
  }
  return 0;
}
