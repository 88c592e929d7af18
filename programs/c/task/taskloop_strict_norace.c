// A strict grain keeps iterations 4 to 7 in one task; half of the ten would not be one.
// expect: race-free all-schedules
// flags: -fopenmp-version=51 -Wl,--wrap=__kmpc_taskloop
#include <assert.h>
#include <stdint.h>
#define N 10

int x;

// The clangs of today parse the modifier and drop it: the linker leads their call here.
void __kmpc_taskloop_5(void *at, int thread, void *task, int condition, uint64_t *lower, uint64_t *upper, int64_t stride,
                       int no_group, int schedule, uint64_t grain, int modifier, void *duplicate);
void __wrap___kmpc_taskloop(void *at, int thread, void *task, int condition, uint64_t *lower, uint64_t *upper,
                            int64_t stride, int no_group, int schedule, uint64_t grain, void *duplicate) {
  __kmpc_taskloop_5(at, thread, task, condition, lower, upper, stride, no_group, schedule, grain, 1, duplicate);
}

int main(void) {
#pragma omp parallel
#pragma omp single
#pragma omp taskloop grainsize(strict : 4)
  for (int i = 0; i < N; i++) {
    if (i == 4)
      x = 1;
    if (i == 7)
      x = 2;
  }
  assert(x == 2);
  return 0;
}
