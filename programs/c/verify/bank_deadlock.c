// Each transfer first takes the lock of the account it takes money from.
// expect: deadlock
// run: race-free
// executions: 3
// twin: examples/bank_deadlock
#include <omp.h>
omp_lock_t lock[2];
int balance[2] = {100, 100};

static void transfer(int from, int to, int amount) {
  omp_set_lock(&lock[from]);
  omp_set_lock(&lock[to]);
  balance[from] -= amount;
  balance[to] += amount;
  omp_unset_lock(&lock[to]);
  omp_unset_lock(&lock[from]);
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
  }
  return 0;
}
