// Neighbouring bytes of one word are different locations.
// expect: race-free all-schedules
#include <assert.h>

char bytes[8];

int main(void) {
#pragma omp parallel for schedule(static, 1)
  for (int i = 0; i < 8; i++)
    bytes[i] = (char)(bytes[i] + i);
  for (int i = 0; i < 8; i++)
    assert(bytes[i] == i);
  return 0;
}
