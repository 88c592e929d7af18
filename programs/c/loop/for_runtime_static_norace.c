// A static kind keeps the iterations of a chunk on one thread, also if it is chosen at run time.
// expect: race-free all-schedules
#include <assert.h>
#include <omp.h>
#define N 32

int sums[N / 4], run[N];

int main(void) {
  omp_set_schedule(omp_sched_static, 4);
#pragma omp parallel for schedule(runtime) num_threads(3)
  for (int i = 0; i < N; i++)
    sums[i / 4] += i;
  omp_set_schedule(omp_sched_static, 0);
#pragma omp parallel for schedule(monotonic : runtime) num_threads(2)
  for (int i = 0; i < N; i++)
    run[i] = i % (N / 2) ? run[i - 1] + 1 : 0;
  for (int i = 0; i < N / 4; i++)
    assert(sums[i] == 16 * i + 6);
  assert(run[N - 1] == N / 2 - 1);
  return 0;
}
