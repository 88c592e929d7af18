// What lanes do in an ordered region they do one after the other.
// expect: race-free
#include <assert.h>
int count, a[32];

int main(void) {
#pragma omp parallel num_threads(2)
#pragma omp single
#pragma omp simd
  for (int i = 0; i < 32; i++) {
    a[i] = i;
#pragma omp ordered simd
    count += a[i];
  }
  assert(count == 496);
  return 0;
}
