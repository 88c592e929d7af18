// Many short tasks, a hundred at a time, that all work on the same small array.
// expect: race-free all-schedules
// args: 1000
#include <assert.h>
#include <stdlib.h>
#define BATCH 100

int main(int argc, char **argv) {
  long n = argc > 1 ? atol(argv[1]) : 1000000;
  long slots[BATCH] = {0};
#pragma omp parallel
#pragma omp single
  for (long batch = 0; batch < n / BATCH; batch++) {
    for (int slot = 0; slot < BATCH; slot++) {
#pragma omp task shared(slots)
      slots[slot] += batch;
    }
#pragma omp taskwait
  }
  for (long slot = 0, last = n / BATCH - 1; slot < BATCH; slot++)
    assert(slots[slot] == last * (last + 1) / 2);
  return 0;
}
