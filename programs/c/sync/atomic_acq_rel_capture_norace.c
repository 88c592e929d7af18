// A chain of read-modify-writes hands the data on from one thread to the next.
// expect: race-free observed-schedule
#include <assert.h>

int data, arrived;

int main(void) {
#pragma omp parallel num_threads(3)
  {
    int before;
#pragma omp critical
    data++;
#pragma omp atomic capture acq_rel
    before = arrived++;
    if (before == 2)
      assert(data == 3);
  }
  return 0;
}
