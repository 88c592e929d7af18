// A lock is set that nobody has initialised.
// expect: program-error
// message: was never initialised
#include <omp.h>

omp_lock_t lock;
int x;

int main(void) {
#pragma omp parallel
  {
    omp_set_lock(&lock);
    x++;
    omp_unset_lock(&lock);
  }
  return 0;
}
