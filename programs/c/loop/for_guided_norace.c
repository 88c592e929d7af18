// A guided loop over long indices that counts down.
// expect: race-free all-schedules
#include <assert.h>

long a[64];

int main(void) {
#pragma omp parallel for schedule(guided)
  for (long i = 63; i >= 0; i--)
    a[i] = 3 * i;
  for (long i = 0; i < 64; i++)
    assert(a[i] == 3 * i);
  return 0;
}
