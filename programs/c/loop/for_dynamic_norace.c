// Whichever thread takes a chunk, its elements are its own.
// expect: race-free all-schedules
#include <assert.h>
#define N 40

int a[N];

int main(void) {
#pragma omp parallel for schedule(dynamic)
  for (int i = 0; i < N; i++)
    a[i] = i + 1;
  int sum = 0;
  for (int i = 0; i < N; i++)
    sum += a[i];
  assert(sum == N * (N + 1) / 2);
  return 0;
}
