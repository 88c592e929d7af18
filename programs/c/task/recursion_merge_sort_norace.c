// Halves are sorted by two tasks and merged after the wait.
// expect: race-free all-schedules
#include <assert.h>
#include <string.h>
#define N 32

int a[N], scratch[N];

static void sort(int from, int to) {
  if (to - from < 2)
    return;
  int middle = (from + to) / 2, i = from, j = middle;
#pragma omp task
  sort(from, middle);
#pragma omp task
  sort(middle, to);
#pragma omp taskwait
  for (int k = from; k < to; k++)
    scratch[k] = i < middle && (j == to || a[i] <= a[j]) ? a[i++] : a[j++];
  memcpy(a + from, scratch + from, sizeof(int) * (size_t)(to - from));
}

int main(void) {
  for (int i = 0; i < N; i++)
    a[i] = (i * 13) % N;
#pragma omp parallel
#pragma omp single
  sort(0, N);
  for (int i = 0; i < N; i++)
    assert(a[i] == i);
  return 0;
}
