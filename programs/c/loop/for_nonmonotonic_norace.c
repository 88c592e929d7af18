// The modifier loosens the order of chunks, which nothing here relies on.
// expect: race-free all-schedules
#include <assert.h>

unsigned long a[32];

int main(void) {
#pragma omp parallel for schedule(nonmonotonic : dynamic, 2)
  for (unsigned long i = 0; i < 32; i++)
    a[i] = i << 33;
  for (unsigned long i = 0; i < 32; i++)
    assert(a[i] == i << 33);
  return 0;
}
