// Who was first before the barrier decides what is written behind it.
// expect: race
// run: race-free
// executions: 2
#include <omp.h>
int came, first[2], x;

int main(void) {
#pragma omp parallel num_threads(2)
  {
    int me = omp_get_thread_num();
#pragma omp critical
    first[me] = came++ == 0;
#pragma omp barrier
    if (me == 0)
      x = 1; //~ race x #1
    else if (first[1])
      x = 2; //~ race x #1
  }
  return 0;
}
