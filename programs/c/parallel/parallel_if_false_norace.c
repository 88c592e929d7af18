// With a false condition the region has a team of one.
// expect: race-free all-schedules
#include <assert.h>

int counter;

int main(int argc, char **argv) {
  (void)argv;
#pragma omp parallel if (argc > 100) num_threads(4)
  counter++;
  assert(counter == 1);
  return 0;
}
