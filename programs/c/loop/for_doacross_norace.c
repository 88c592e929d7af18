// An iteration waits for the one before it.
// expect: race-free all-schedules
#include <assert.h>
#define N 20

int a[N];

int main(void) {
#pragma omp parallel for ordered(1) schedule(dynamic)
  for (int i = 1; i < N; i++) {
#pragma omp ordered depend(sink : i - 1)
    a[i] = a[i - 1] + 1;
#pragma omp ordered depend(source)
  }
  assert(a[N - 1] == N - 1);
  return 0;
}
