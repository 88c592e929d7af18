// What each lane has of its own: private, lastprivate, linear and reduction variables, and those that are declared in the loop.
// expect: race-free
#include <assert.h>
int a[32], out[64];

static int twice(int *x) { return *x * 2; }

int main(void) {
  int sum = 0, last = 0, at = 0, scratch, bins[4] = {0};
  for (int i = 0; i < 32; i++)
    a[i] = i;
#pragma omp parallel num_threads(2)
#pragma omp single
  {
#pragma omp simd private(scratch) lastprivate(last) linear(at : 2) reduction(+ : sum, bins)
    for (int i = 0; i < 32; i++) {
      int own[2] = {a[i], i};
      scratch = own[0];
      sum += twice(&scratch);
      last = own[1];
      bins[i % 4] += 1;
      out[at] = scratch;
      at += 2;
    }
  }
  assert(sum == 992 && last == 31 && bins[3] == 8 && out[62] == 31);
  return 0;
}
