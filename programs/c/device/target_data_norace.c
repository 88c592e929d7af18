// Mapping directives around two target regions.
// expect: race-free all-schedules
#include <assert.h>
#define N 16

int a[N];

int main(void) {
#pragma omp target data map(tofrom : a)
  {
#pragma omp target
    for (int i = 0; i < N; i++)
      a[i] = i;
#pragma omp target parallel for
    for (int i = 0; i < N; i++)
      a[i] *= 2;
#pragma omp target update from(a)
  }
  assert(a[N - 1] == 2 * (N - 1));
  return 0;
}
