// The last statement of the section came after the release.
// expect: race
#include <omp.h>

int counter, seen[2];

int main(void) {
  omp_lock_t lock;
  omp_init_lock(&lock);
#pragma omp parallel num_threads(2)
  {
    omp_set_lock(&lock);
    counter++; //~ race counter #1
    omp_unset_lock(&lock);
    seen[omp_get_thread_num()] = counter; //~ race counter #1
  }
  omp_destroy_lock(&lock);
  return 0;
}
