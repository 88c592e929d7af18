// The vectors of a simd loop are all that is parallel.
// expect: race-free
#include <assert.h>
int a[32];

int main(void) {
  int sum = 0;
#pragma omp simd
  for (int i = 0; i < 32; i++)
    a[i] = i;
#pragma omp simd reduction(+ : sum)
  for (int i = 0; i < 32; i++)
    sum += a[i];
  assert(sum == 496);
  return 0;
}
