// A task that holds a lock until the ones it has created have ended; another takes the lock to wait for them.
// expect: race-free observed-schedule
#include <assert.h>
#include <omp.h>

omp_lock_t lock;
int data, got;

int main(void) {
  omp_init_lock(&lock);
#pragma omp parallel num_threads(2)
  {
    int own = omp_get_thread_num();
    if (own == 0)
      omp_set_lock(&lock);
#pragma omp barrier
    if (own == 0) {
#pragma omp task shared(data)
      data = 1;
#pragma omp taskwait
      omp_unset_lock(&lock);
    } else {
      omp_set_lock(&lock);
      got = data;
      omp_unset_lock(&lock);
    }
  }
  assert(got == 1);
  return 0;
}
