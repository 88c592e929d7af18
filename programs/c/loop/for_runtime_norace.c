// The schedule comes from the run-time setting.
// expect: race-free all-schedules
#include <assert.h>
#include <omp.h>
#define N 40

int a[N];

int main(void) {
  omp_set_schedule(omp_sched_dynamic, 3);
  omp_sched_t kind;
  int chunk;
  omp_get_schedule(&kind, &chunk);
  assert(kind == omp_sched_dynamic && chunk == 3);
#pragma omp parallel for schedule(runtime)
  for (int i = 0; i < N; i++)
    a[i] = -i;
  for (int i = 0; i < N; i++)
    assert(a[i] == -i);
  return 0;
}
