// The same in several rounds: one barrier before the use, and one before the next round.
// expect: race
// advice: barrier-in-loop
// holds: barrier-in-loop
// prints: 18
#include <stdio.h>
#include <omp.h>

int made[4], used[4];

int main(void) {
#pragma omp parallel num_threads(4)
  {
    int own = omp_get_thread_num();
    for (int round = 0; round < 3; round++) {
      made[own] = own + round; //~ race made[] #1
      used[own] = made[(own + 1) % 4] + round; //~ race made[] #1
    }
  }
  printf("%d\n", used[0] + used[1] + used[2] + used[3] - 4);
  return 0;
}
