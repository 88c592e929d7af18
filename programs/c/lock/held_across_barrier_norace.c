// A lock that one thread holds across a barrier still keeps the others out after it, however much happens meanwhile.
// expect: race-free observed-schedule
#include <assert.h>
#include <omp.h>

int x, parts[200];

int main(void) {
  omp_lock_t lock;
  omp_init_lock(&lock);
#pragma omp parallel num_threads(2)
  {
    if (omp_get_thread_num() == 0) {
      omp_set_lock(&lock);
      x = 1;
    }
#pragma omp barrier
    if (omp_get_thread_num() == 1) {
      for (int i = 0; i < 200; i++) {
#pragma omp task
        parts[i] = i;
      }
#pragma omp taskwait
      omp_set_lock(&lock);
      x++;
      omp_unset_lock(&lock);
    } else {
      x++;
      omp_unset_lock(&lock);
    }
  }
  assert(x == 3);
  omp_destroy_lock(&lock);
  return 0;
}
