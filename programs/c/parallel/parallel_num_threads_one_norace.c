// A team of one has nobody to race with.
// expect: race-free all-schedules
#include <assert.h>

int counter;

int main(void) {
#pragma omp parallel num_threads(1)
  counter++;
  assert(counter == 1);
  return 0;
}
