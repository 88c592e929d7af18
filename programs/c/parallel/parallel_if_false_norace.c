// With a false condition the region has a team of one; the other region is what makes the program one to judge.
// expect: race-free all-schedules
#include <assert.h>

int counter;
int seen[8];

int main(int argc, char **argv) {
  (void)argv;
#pragma omp parallel if (argc > 100) num_threads(4)
  counter++;
#pragma omp parallel for if (argc > 0) num_threads(4)
  for (int i = 0; i < 8; i++)
    seen[i] = counter;
  assert(counter == 1 && seen[7] == 1);
  return 0;
}
