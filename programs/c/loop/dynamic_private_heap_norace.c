// Each thread has allocated a buffer of its own before the loop, and uses it in every chunk it takes.
// expect: race-free all-schedules
#include <assert.h>
#include <stdlib.h>
#define N 100

static int *kept;
#pragma omp threadprivate(kept)

int main(void) {
  int result[N];
#pragma omp parallel
  {
    int *buffer = malloc(sizeof(int) * 8);
    kept = calloc(8, sizeof(int));
#pragma omp for schedule(dynamic, 3)
    for (int i = 0; i < N; i++) {
      for (int k = 0; k < 8; k++)
        buffer[k] = i + k;
      result[i] = buffer[i % 8];
      kept[i % 8] += i;
    }
    free(buffer);
  }
#pragma omp parallel
  {
#pragma omp for schedule(dynamic)
    for (int i = 0; i < N; i++)
      kept[0]++;
    free(kept);
  }
  for (int i = 0; i < N; i++)
    assert(result[i] == i + i % 8);
  return 0;
}
