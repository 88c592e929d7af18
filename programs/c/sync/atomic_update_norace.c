// Atomic updates of one variable do not race with each other.
// expect: race-free observed-schedule
#include <assert.h>

int counter;
double total;

int main(void) {
#pragma omp parallel num_threads(4)
  {
    for (int i = 0; i < 5; i++) {
#pragma omp atomic
      counter++;
#pragma omp atomic update
      total = total + 0.5;
    }
  }
  assert(counter == 20 && total == 10.0);
  return 0;
}
