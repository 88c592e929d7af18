// A lock taken around each use.
// expect: race-free observed-schedule
#include <assert.h>
#include <omp.h>

int counter;

int main(void) {
  omp_lock_t lock;
  omp_init_lock(&lock);
#pragma omp parallel num_threads(4)
  for (int i = 0; i < 5; i++) {
    omp_set_lock(&lock);
    counter++;
    omp_unset_lock(&lock);
  }
  omp_destroy_lock(&lock);
  assert(counter == 20);
  return 0;
}
