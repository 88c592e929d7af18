// Try until it works: a successful test takes the lock.
// expect: race-free observed-schedule
#include <assert.h>
#include <omp.h>

int counter;

int main(void) {
  omp_lock_t lock;
  omp_init_lock_with_hint(&lock, omp_sync_hint_contended);
#pragma omp parallel num_threads(4)
  {
    while (!omp_test_lock(&lock))
      ;
    counter++;
    omp_unset_lock(&lock);
  }
  omp_destroy_lock(&lock);
  assert(counter == 4);
  return 0;
}
