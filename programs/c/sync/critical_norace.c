// Increments in one critical region exclude each other.
// expect: race-free observed-schedule
#include <assert.h>

int counter;

int main(void) {
#pragma omp parallel num_threads(4)
  {
    for (int i = 0; i < 5; i++) {
#pragma omp critical
      counter++;
    }
  }
  assert(counter == 20);
  return 0;
}
