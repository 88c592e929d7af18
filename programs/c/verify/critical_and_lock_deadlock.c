// A lock taken inside a critical section, and the other way round.
// expect: deadlock
// run: race-free
// executions: 3
#include <omp.h>
omp_lock_t lock;
int n;

static void add(void) {
#pragma omp critical
  n++;
}

int main(void) {
  omp_init_lock(&lock);
#pragma omp parallel sections num_threads(2)
  {
#pragma omp section
    {
#pragma omp critical
      {
        omp_set_lock(&lock);
        n++;
        omp_unset_lock(&lock);
      }
    }
#pragma omp section
    {
      omp_set_lock(&lock);
      add();
      omp_unset_lock(&lock);
    }
  }
  return 0;
}
