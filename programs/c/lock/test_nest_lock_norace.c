// The test of a nestable lock gives the new depth.
// expect: race-free observed-schedule
#include <assert.h>
#include <omp.h>

int counter;

int main(void) {
  omp_nest_lock_t lock;
  omp_init_nest_lock(&lock);
#pragma omp parallel num_threads(2)
  {
    omp_set_nest_lock(&lock);
    assert(omp_test_nest_lock(&lock) == 2);
    counter++;
    omp_unset_nest_lock(&lock);
    omp_unset_nest_lock(&lock);
  }
  omp_destroy_nest_lock(&lock);
  assert(counter == 2);
  return 0;
}
