// A distributed simd loop: every iteration has its element.
// expect: race-free all-schedules
#include <assert.h>
#define N 16

int a[N];

int main(void) {
#pragma omp teams distribute simd
  for (int i = 0; i < N; i++)
    a[i] = i;
  assert(a[N - 1] == N - 1);
  return 0;
}
