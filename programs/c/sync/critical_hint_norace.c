// A hint about contention changes nothing about exclusion.
// expect: race-free observed-schedule
#include <assert.h>
#include <omp.h>

long sum;

int main(void) {
#pragma omp parallel for schedule(static, 1)
  for (int i = 0; i < 20; i++) {
#pragma omp critical(sum) hint(omp_sync_hint_contended)
    sum += i;
  }
  assert(sum == 190);
  return 0;
}
