// As rounds_racy, with both barriers.
// expect: race-free all-schedules
// prints: 18
#include <assert.h>
#include <stdio.h>
#include <omp.h>

int made[4], used[4];

int main(void) {
#pragma omp parallel num_threads(4)
  {
    int own = omp_get_thread_num();
    for (int round = 0; round < 3; round++) {
      made[own] = own + round;
#pragma omp barrier
      used[own] = made[(own + 1) % 4] + round;
#pragma omp barrier
    }
  }
  int sum = used[0] + used[1] + used[2] + used[3] - 4;
  printf("%d\n", sum);
  assert(sum == 18);
  return 0;
}
