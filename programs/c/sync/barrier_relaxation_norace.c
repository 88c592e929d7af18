// A stencil over two buffers, a barrier after each of its steps.
// expect: race-free all-schedules
#include <assert.h>
#define N 18

int buffer[2][N];

int main(void) {
  buffer[0][0] = buffer[1][0] = 64;
#pragma omp parallel num_threads(4)
  for (int step = 0; step < 6; step++) {
    int *from = buffer[step % 2], *to = buffer[1 - step % 2];
#pragma omp for
    for (int i = 1; i < N - 1; i++)
      to[i] = (from[i - 1] + from[i + 1]) / 2;
  }
  assert(buffer[0][1] > 0 && buffer[0][N - 1] == 0);
  return 0;
}
