// A vectorised worksharing loop over its own elements.
// expect: race-free all-schedules
#include <assert.h>
#define N 64

float a[N], b[N];

int main(void) {
  for (int i = 0; i < N; i++)
    a[i] = (float)i;
#pragma omp parallel for simd schedule(static)
  for (int i = 0; i < N; i++)
    b[i] = a[i] * 2.0f;
  for (int i = 0; i < N; i++)
    assert(b[i] == 2.0f * (float)i);
  return 0;
}
