// Each thread uses what its neighbour has made.
// expect: race
// advice: barrier
// prints: 6
#include <stdio.h>
#include <omp.h>

int made[4], used[4];

int main(void) {
#pragma omp parallel num_threads(4)
  {
    int own = omp_get_thread_num();
    made[own] = own; //~ race made[] #1
    used[own] = made[(own + 1) % 4]; //~ race made[] #1
  }
  printf("%d\n", used[0] + used[1] + used[2] + used[3]);
  return 0;
}
