// A partition, then a task for the lower part.
// expect: race-free all-schedules
// args: 5000
#include <assert.h>
#include <stdlib.h>

static void sort(int *data, long n) {
  while (n > 1) {
    int pivot = data[(n - 1) / 2];
    long low = -1, high = n;
    for (;;) {
      while (data[++low] < pivot)
        ;
      while (data[--high] > pivot)
        ;
      if (low >= high)
        break;
      int swap = data[low];
      data[low] = data[high];
      data[high] = swap;
    }
    if (n > 1000) {
#pragma omp task
      sort(data, high + 1);
    } else
      sort(data, high + 1);
    data += high + 1;
    n -= high + 1;
  }
}

int main(int argc, char **argv) {
  long n = argc > 1 ? atol(argv[1]) : 3000000;
  int *data = malloc(sizeof(int) * n);
  for (long i = 0; i < n; i++)
    data[i] = (int)(i * 7919 % n);
#pragma omp parallel
#pragma omp single
  sort(data, n);
  for (long i = 0; i < n; i++)
    assert(data[i] == i);
  free(data);
  return 0;
}
