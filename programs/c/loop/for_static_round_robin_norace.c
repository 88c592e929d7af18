// Chunks of a static schedule are dealt round-robin: iterations that are equal modulo four share a thread.
// expect: race-free all-schedules
#include <assert.h>
#include <omp.h>
#define N 40

int hits[4];

int main(void) {
#pragma omp parallel num_threads(4)
  {
#pragma omp for schedule(static, 1)
    for (int i = 0; i < N; i++)
      hits[i % 4]++;
  }
  for (int i = 0; i < 4; i++)
    assert(hits[i] == N / 4);
  return 0;
}
