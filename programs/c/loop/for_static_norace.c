// Every iteration has its own element.
// expect: race-free all-schedules
#include <assert.h>
#define N 40

int a[N];

int main(void) {
#pragma omp parallel for schedule(static)
  for (int i = 0; i < N; i++)
    a[i] = i * i;
  for (int i = 0; i < N; i++)
    assert(a[i] == i * i);
  return 0;
}
