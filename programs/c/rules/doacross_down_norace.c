// A loop that counts down.
// expect: race-free all-schedules
#include <assert.h>
int a[14];
int main(void) {
#pragma omp parallel for ordered(1) schedule(guided)
  for (int i = 12; i > 0; i -= 2) {
#pragma omp ordered depend(sink : i + 2)
    a[i] = i == 12 ? 1 : a[i + 2] + 1;
#pragma omp ordered depend(source)
  }
  assert(a[2] == 6);
  return 0;
}
