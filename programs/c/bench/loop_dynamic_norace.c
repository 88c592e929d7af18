// A loop whose iterations take more and more time, given out in small chunks.
// expect: race-free all-schedules
// args: 200
#include <assert.h>
#include <stdlib.h>

int main(int argc, char **argv) {
  int n = argc > 1 ? atoi(argv[1]) : 80000;
  unsigned *a = malloc(sizeof(unsigned) * n), *sum = malloc(sizeof(unsigned) * n);
  for (int i = 0; i < n; i++)
    a[i] = i;
#pragma omp parallel for schedule(dynamic, 8)
  for (int i = 0; i < n; i++) {
    sum[i] = 0;
    for (int j = 0; j <= i; j++)
      sum[i] += a[j] ^ i;
  }
  for (int i = 0; i < n; i += 97) {
    unsigned should = 0;
    for (unsigned j = 0; j <= (unsigned)i; j++)
      should += j ^ i;
    assert(sum[i] == should);
  }
  free(a), free(sum);
  return 0;
}
