// Merges in two tasks, of parts that touch: what one compares and does not take is only read by the other.
// expect: race-free all-schedules
#include <assert.h>
#define N 64

static int even[N + 1], odd[N + 1], target[2 * N];

// The n smallest of two sorted parts.
static void merge(const int *a, const int *b, int *to, int *end) {
  do
    *to++ = *b < *a ? *b++ : *a++;
  while (to < end);
}

int main(void) {
  for (int i = 0; i <= N; i++)
    even[i] = 2 * i, odd[i] = 2 * i + 1;
#pragma omp parallel
#pragma omp single
  {
#pragma omp task
    merge(even, odd, target, target + N);
#pragma omp task
    merge(even + N / 2, odd + N / 2, target + N, target + 2 * N);
  }
  for (int i = 0; i < 2 * N; i++)
    assert(target[i] == i);
  return 0;
}
