// The end of `master` is no barrier.
// expect: race
// advice: barrier
// prints: 28
#include <stdio.h>
#include <omp.h>

int x, seen[4];

int main(void) {
#pragma omp parallel num_threads(4)
  {
#pragma omp master
    x = 7; //~ race x #1
    seen[omp_get_thread_num()] = x; //~ race x #1
  }
  printf("%d\n", seen[0] + seen[1] + seen[2] + seen[3]);
  return 0;
}
