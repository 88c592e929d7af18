// Stack memory taken by alloca, shared with a child that is waited for.
// expect: race-free all-schedules
#include <alloca.h>
#include <assert.h>

int results[6];

__attribute__((noinline)) static int work(int n) {
  int *part = alloca(sizeof(int) * (unsigned)n);
#pragma omp task
  for (int i = 0; i < n; i++)
    part[i] = n;
#pragma omp taskwait
  return part[n - 1];
}

int main(void) {
#pragma omp parallel
#pragma omp single
  for (int t = 0; t < 6; t++) {
#pragma omp task
    results[t] = work(t + 3);
  }
  for (int t = 0; t < 6; t++)
    assert(results[t] == t + 3);
  return 0;
}
