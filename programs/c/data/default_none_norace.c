// Everything named: what is shared, what is not.
// expect: race-free all-schedules
#include <assert.h>
#define N 24

int main(void) {
  int a[N], scale = 3, offset = 1;
#pragma omp parallel for default(none) shared(a) firstprivate(scale, offset)
  for (int i = 0; i < N; i++)
    a[i] = i * scale + offset;
  for (int i = 0; i < N; i++)
    assert(a[i] == 3 * i + 1);
  return 0;
}
