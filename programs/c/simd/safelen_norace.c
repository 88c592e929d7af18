// Iterations that conflict are eight apart, and eight may be executed at the same time.
// expect: race-free
#include <assert.h>
double a[64];

int main(void) {
#pragma omp parallel num_threads(2)
#pragma omp single
#pragma omp simd safelen(8)
  for (int i = 8; i < 64; i++)
    a[i] = a[i - 8] + 1;
  assert(a[63] == 7);
  return 0;
}
