// A nestable lock taken again by its owner.
// expect: race-free observed-schedule
#include <assert.h>
#include <omp.h>

omp_nest_lock_t lock;
int total;

static void add(int amount) {
  omp_set_nest_lock(&lock);
  total += amount;
  omp_unset_nest_lock(&lock);
}

int main(void) {
  omp_init_nest_lock(&lock);
#pragma omp parallel num_threads(4)
  {
    omp_set_nest_lock(&lock);
    add(1);
    add(2);
    assert(total % 3 == 0);
    omp_unset_nest_lock(&lock);
  }
  omp_destroy_nest_lock(&lock);
  assert(total == 12);
  return 0;
}
