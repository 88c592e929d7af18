// What was found before the deadlock is reported.
// expect: race
// message: deadlock
#include <omp.h>

omp_lock_t lock;
int x;

int main(void) {
#pragma omp parallel num_threads(2)
  x++; //~ race x #1
  omp_init_lock(&lock);
  omp_set_lock(&lock);
  omp_set_lock(&lock);
  return 0;
}
