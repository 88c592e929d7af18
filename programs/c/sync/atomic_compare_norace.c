// A conditional update is one atomic step.
// expect: race-free
#include <assert.h>

int largest;

int main(void) {
#pragma omp parallel for num_threads(4)
  for (int i = 0; i < 16; i++) {
    int candidate = (i * 7) % 16;
#pragma omp atomic compare
    if (largest < candidate) {
      largest = candidate;
    }
  }
  assert(largest == 15);
  return 0;
}
