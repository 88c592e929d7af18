// What was found before the deadlock is reported.
// expect: race
// message: deadlock
#include <omp.h>

omp_lock_t lock[2];
int x;

int main(void) {
  omp_init_lock(&lock[0]);
  omp_init_lock(&lock[1]);
#pragma omp parallel num_threads(2)
  {
    int me = omp_get_thread_num();
    x++; //~ race x #1
    omp_set_lock(&lock[me]);
#pragma omp barrier
    omp_set_lock(&lock[1 - me]);
  }
  return 0;
}
