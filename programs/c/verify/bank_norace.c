// The locks in the same order whatever the transfer.
// expect: race-free all-schedules
// run: race-free
// executions: 2
// twin: examples/bank_locks
#include <assert.h>
#include <omp.h>
omp_lock_t lock[2];
int balance[2] = {100, 100};

static void transfer(int from, int to, int amount) {
  omp_set_lock(&lock[0]);
  omp_set_lock(&lock[1]);
  balance[from] -= amount;
  balance[to] += amount;
  omp_unset_lock(&lock[1]);
  omp_unset_lock(&lock[0]);
}

int main(void) {
  omp_init_lock(&lock[0]);
  omp_init_lock(&lock[1]);
#pragma omp parallel num_threads(2)
#pragma omp single
  {
#pragma omp task
    transfer(0, 1, 30);
#pragma omp task
    transfer(1, 0, 20);
#pragma omp taskwait
    assert(balance[0] == 90 && balance[1] == 110);
  }
  return 0;
}
