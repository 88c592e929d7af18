// The same; who comes to a second lock first decides whether the data is written before the signal or after it.
// expect: race
// run: race-free
// executions: 2
#include <omp.h>
omp_lock_t lock;
int data, got, first;

int main(void) {
  omp_init_lock(&lock);
#pragma omp parallel num_threads(2)
  {
    int own = omp_get_thread_num(), came;
    if (own == 0)
      omp_set_lock(&lock);
#pragma omp barrier
#pragma omp critical
    came = first++;
    if (own == 0) {
      if (came == 0)
        data = 1;
      omp_unset_lock(&lock);
      if (came == 1)
        data = 1; //~ race data #1
    } else {
      omp_set_lock(&lock);
      omp_unset_lock(&lock);
      got = data; //~ race data #1
    }
  }
  return 0;
}
