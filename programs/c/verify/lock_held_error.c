// A lock that its holder takes again, only on the way that another order leads to.
// expect: program-error
// run: race-free
// executions: 2
// message: holds this lock already
#include <omp.h>
omp_lock_t lock;
int came;

static void note(void) {
  omp_set_lock(&lock);
  came++;
  omp_unset_lock(&lock);
}

int main(void) {
  omp_init_lock(&lock);
#pragma omp parallel sections num_threads(2)
  {
#pragma omp section
    note();
#pragma omp section
    {
      omp_set_lock(&lock);
      if (came == 0)
        note();
      omp_unset_lock(&lock);
    }
  }
  return 0;
}
