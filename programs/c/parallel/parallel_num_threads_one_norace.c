// A team of one has nobody to race with; the other region is what makes the program one to judge.
// expect: race-free all-schedules
#include <assert.h>
#include <omp.h>

int counter;
int seen[64];

int main(void) {
#pragma omp parallel num_threads(1)
  counter++;
#pragma omp parallel num_threads(4)
  seen[omp_get_thread_num()] = counter;
  assert(counter == 1 && seen[0] == 1);
  return 0;
}
