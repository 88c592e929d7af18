// What a thread keeps on its stack from chunk to chunk is its own.
// expect: race-free observed-schedule
#include <assert.h>
#define N 200

int main(void) {
  int a[N], total = 0;
#pragma omp parallel
  {
    int sum = 0, seen[4] = {0};
    int *way = &sum;
#pragma omp for schedule(guided)
    for (int i = 0; i < N; i++) {
      a[i] = i;
      *way += i;
      seen[i % 4]++;
    }
#pragma omp atomic
    total += sum;
  }
  for (int i = 0; i < N; i++)
    assert(a[i] == i);
  assert(total == N * (N - 1) / 2);
  return 0;
}
