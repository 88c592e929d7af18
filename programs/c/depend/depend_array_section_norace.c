// Identical array sections name the same storage.
// expect: race-free all-schedules
#include <assert.h>

int a[12];

int main(void) {
#pragma omp parallel
#pragma omp single
  for (int pass = 0; pass < 3; pass++) {
    for (int block = 0; block < 12; block += 4) {
#pragma omp task depend(inout : a[block : 4])
      for (int i = block; i < block + 4; i++)
        a[i] += pass;
    }
  }
  for (int i = 0; i < 12; i++)
    assert(a[i] == 3);
  return 0;
}
