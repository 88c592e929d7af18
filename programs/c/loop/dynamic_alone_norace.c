// With one thread there is nobody else to take a chunk.
// expect: race-free all-schedules
// threads: 1
#include <assert.h>
#define N 20

int sum;

int main(void) {
#pragma omp parallel for schedule(dynamic)
  for (int i = 0; i < N; i++)
    sum += i;
  assert(sum == N * (N - 1) / 2);
  return 0;
}
