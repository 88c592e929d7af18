// The program sets the schedule itself, and it is one that keeps the halves together.
// expect: race-free all-schedules
#include <assert.h>
#include <omp.h>
#define N 32

int halves[2];

int main(void) {
  omp_set_schedule(omp_sched_static, N / 2);
#pragma omp parallel for schedule(runtime) num_threads(2)
  for (int i = 0; i < N; i++)
    halves[i / (N / 2)] += i;
  assert(halves[0] + halves[1] == N * (N - 1) / 2);
  return 0;
}
