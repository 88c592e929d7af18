// A partition in each of two tasks, of halves that touch.
// expect: race-free all-schedules
#include <assert.h>
#define N 40

static int data[2 * N];

static int *partition(int *left, int *right, int pivot) {
  for (;; left++, right--) {
    while (*left < pivot)
      left++;
    while (*right > pivot)
      right--;
    if (left >= right)
      return right;
    int swap = *left;
    *left = *right;
    *right = swap;
  }
}

int main(void) {
  int *middle[2];
  for (int i = 0; i < 2 * N; i++)
    data[i] = i * 7 % N;
#pragma omp parallel
#pragma omp single
  for (int half = 0; half < 2; half++)
#pragma omp task shared(middle)
    middle[half] = partition(data + half * N, data + half * N + N - 1, N / 2);
  for (int half = 0; half < 2; half++)
    for (int i = 0; i < N; i++) {
      int *at = data + half * N + i;
      assert(at <= middle[half] ? *at <= N / 2 : *at >= N / 2);
    }
  return 0;
}
