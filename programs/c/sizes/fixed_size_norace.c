// The clause sets the size of the team: chunks that are equal modulo four are one thread's.
// expect: race-free all-schedules
#include <assert.h>
#define N 40
int hits[4];

int main(void) {
#pragma omp parallel for schedule(static, 1) num_threads(4)
  for (int i = 0; i < N; i++)
    hits[i % 4]++;
  assert(hits[0] == N / 4);
  return 0;
}
