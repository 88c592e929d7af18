// The index names every element once.
// expect: race-free
#include <assert.h>
#include <stdlib.h>

int main(void) {
  int index[6] = {3, 5, 0, 1, 4, 2};
  int *out = calloc(6, sizeof *out);
  int n = atoi("6");
#pragma omp parallel num_threads(2)
#pragma omp single
  {
#pragma omp simd
    for (int i = 0; i < n; i++)
      out[index[i]] = i;
  }
  assert(out[5] == 1 && out[2] == 5);
  free(out);
  return 0;
}
