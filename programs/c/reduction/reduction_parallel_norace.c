// The clause on the parallel construct itself.
// expect: race-free all-schedules
#include <assert.h>

int main(void) {
  int threads = 0;
#pragma omp parallel num_threads(4) reduction(+ : threads)
  threads += 1;
  assert(threads == 4);
  return 0;
}
