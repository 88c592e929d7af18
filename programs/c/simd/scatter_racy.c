// Two iterations write the element that the index names twice.
// expect: race
#include <stdlib.h>

int main(void) {
  int index[16] = {3, 5, 7, 9, 3, 11};
  int *out = calloc(16, sizeof *out);
  int n = atoi("6");
#pragma omp simd
  for (int i = 0; i < n; i++)
    out[index[i]] = i; //~ race out[] #1
  free(out);
  return 0;
}
