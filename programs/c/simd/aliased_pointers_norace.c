// The two parts of the array do not overlap.
// expect: race-free
#include <assert.h>
int data[100] = {7};

static void shift(int *to, const int *from, int n) {
#pragma omp simd
  for (int i = 0; i < n; i++)
    to[i] = from[i];
}

int main(void) {
#pragma omp parallel num_threads(2)
#pragma omp single
  shift(data + 50, data, 50);
  assert(data[50] == 7);
  return 0;
}
