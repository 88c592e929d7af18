// Who gets the lock second writes the result, and so does the first thread in any case.
// expect: race
// run: race-free
// executions: 2
#include <omp.h>
omp_lock_t lock;
int came, result;

int main(void) {
  omp_init_lock(&lock);
#pragma omp parallel num_threads(2)
  {
    int mine;
    omp_set_lock(&lock);
    mine = came++;
    omp_unset_lock(&lock);
    if (omp_get_thread_num() == 0)
      result = mine; //~ race result #1
    else if (mine == 0)
      result = 7; //~ race result #1
  }
  omp_destroy_lock(&lock);
  return 0;
}
