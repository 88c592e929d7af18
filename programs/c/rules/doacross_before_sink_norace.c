// What stands before the source is waited for, also if it stands before the sink.
// expect: race-free all-schedules
#include <assert.h>
#define N 12

int a[N], b[N];

int main(void) {
#pragma omp parallel for ordered(1)
  for (int i = 0; i < N; i++) {
    b[i] = i;
#pragma omp ordered depend(sink : i - 1)
    a[i] = i ? a[i - 1] + b[i - 1] : 0;
#pragma omp ordered depend(source)
  }
  assert(a[N - 1] == 55);
  return 0;
}
