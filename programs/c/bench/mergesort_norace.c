// Two halves, one a task, and a merge that is not parallel.
// expect: race-free all-schedules
// args: 5000
#include <assert.h>
#include <stdlib.h>
#include <string.h>

static void sort(long *data, long *spare, long n) {
  if (n < 2)
    return;
  long h = n / 2;
  if (n > 2000) {
#pragma omp task
    sort(data, spare, h);
    sort(data + h, spare + h, n - h);
#pragma omp taskwait
  } else {
    sort(data, spare, h);
    sort(data + h, spare + h, n - h);
  }
  memcpy(spare, data, n * sizeof(long));
  for (long a = 0, b = h, to = 0; to < n; to++)
    data[to] = b == n || (a < h && spare[a] <= spare[b]) ? spare[a++] : spare[b++];
}

int main(int argc, char **argv) {
  long n = argc > 1 ? atol(argv[1]) : 4000000;
  long *data = malloc(sizeof(long) * n), *spare = malloc(sizeof(long) * n);
  for (long i = 0; i < n; i++)
    data[i] = i * 7919 % n;
#pragma omp parallel
#pragma omp single
  sort(data, spare, n);
  // Unless n is a multiple of 7919, every number below n was there once.
  for (long i = 0; i < n; i++)
    assert(data[i] == i);
  free(data), free(spare);
  return 0;
}
