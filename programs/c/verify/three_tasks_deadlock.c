// Three tasks, three locks, a circle; no two of the tasks alone can wait for each other.
// expect: deadlock
// run: race-free
// executions: 7
#include <omp.h>
omp_lock_t lock[3];

int main(void) {
  for (int i = 0; i < 3; i++)
    omp_init_lock(&lock[i]);
#pragma omp parallel num_threads(2)
#pragma omp single
  for (int i = 0; i < 3; i++) {
#pragma omp task
    {
      omp_set_lock(&lock[i]);
      omp_set_lock(&lock[(i + 1) % 3]);
      omp_unset_lock(&lock[(i + 1) % 3]);
      omp_unset_lock(&lock[i]);
    }
  }
  return 0;
}
