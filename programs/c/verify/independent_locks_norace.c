// A lock for each pair of threads: two orders for each lock.
// expect: race-free all-schedules
// run: race-free
// executions: 4
#include <omp.h>
omp_lock_t lock[2];
int count[2];

int main(void) {
  omp_init_lock(&lock[0]);
  omp_init_lock(&lock[1]);
#pragma omp parallel num_threads(4)
  {
    int pair = omp_get_thread_num() / 2;
    omp_set_lock(&lock[pair]);
    count[pair]++;
    omp_unset_lock(&lock[pair]);
  }
  return count[0] != 2 || count[1] != 2;
}
