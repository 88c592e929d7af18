// A task has the value of the moment it was created.
// expect: race-free all-schedules
#include <assert.h>
#define N 20

int a[N];

int main(void) {
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < N; i++) {
#pragma omp task
    a[i] = i;
  }
  for (int i = 0; i < N; i++)
    assert(a[i] == i);
  return 0;
}
