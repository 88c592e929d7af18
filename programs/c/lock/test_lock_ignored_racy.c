// The result of the test is not looked at before the write.
// expect: race
#include <omp.h>

int counter;

int main(void) {
  omp_lock_t busy;
  omp_init_lock(&busy);
  omp_set_lock(&busy);
#pragma omp parallel num_threads(2)
  {
    int held = omp_test_lock(&busy);
    counter++; //~ race counter #1
    if (held)
      omp_unset_lock(&busy);
  }
  omp_unset_lock(&busy);
  omp_destroy_lock(&busy);
  return 0;
}
