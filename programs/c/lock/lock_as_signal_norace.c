// A lock that is taken before a barrier and given back behind it: whoever takes it behind the barrier comes after.
// expect: race-free observed-schedule
#include <assert.h>
#include <omp.h>

omp_lock_t lock;
int data, got;

int main(void) {
  omp_init_lock(&lock);
#pragma omp parallel num_threads(2)
  {
    if (omp_get_thread_num() == 0)
      omp_set_lock(&lock);
#pragma omp barrier
    if (omp_get_thread_num() == 0) {
      data = 1;
      omp_unset_lock(&lock);
    } else {
      omp_set_lock(&lock);
      omp_unset_lock(&lock);
      got = data;
    }
  }
  assert(got == 1);
  omp_destroy_lock(&lock);
  return 0;
}
