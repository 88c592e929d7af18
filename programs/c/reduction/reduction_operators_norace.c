// All the predefined operators at once.
// expect: race-free all-schedules
#include <assert.h>
#define N 12

int main(void) {
  int sum = 0, bits = 0, mask = -1, flip = 0, all = 1, some = 0;
  long low = 1000, high = -1000;
  double product = 1.0;
#pragma omp parallel for reduction(+ : sum) reduction(* : product) reduction(min : low) reduction(max : high) \
    reduction(| : bits) reduction(& : mask) reduction(^ : flip) reduction(&& : all) reduction(|| : some)
  for (int i = 1; i <= N; i++) {
    sum += i;
    product *= 2.0;
    low = i - 3 < low ? i - 3 : low;
    high = i * 2 > high ? i * 2 : high;
    bits |= 1 << i;
    mask &= ~(1 << i);
    flip ^= i;
    all = all && i > 0;
    some = some || i == 7;
  }
  assert(sum == 78 && product == 4096.0 && low == -2 && high == 24);
  assert(bits == 0x1ffe && mask == ~0x1ffe && flip == 12 && all && some);
  return 0;
}
