// Blocks of a stencil: a block waits for its neighbours of the step before.
// expect: race-free all-schedules
#include <assert.h>
#define BLOCKS 5

int value[2][BLOCKS + 2];

int main(void) {
  value[0][1] = 16;
#pragma omp parallel
#pragma omp single
  for (int step = 0; step < 4; step++) {
    int *from = value[step % 2], *to = value[1 - step % 2];
    for (int b = 1; b <= BLOCKS; b++) {
#pragma omp task depend(in : from[b - 1], from[b], from[b + 1]) depend(out : to[b])
      to[b] = from[b - 1] + from[b + 1];
    }
  }
  assert(value[0][5] == 16);
  return 0;
}
