// The same, but the data is written after the lock was given back.
// expect: race
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
      omp_unset_lock(&lock);
      data = 1; //~ race data #1
    } else {
      omp_set_lock(&lock);
      omp_unset_lock(&lock);
      got = data; //~ race data #1
    }
  }
  omp_destroy_lock(&lock);
  return 0;
}
