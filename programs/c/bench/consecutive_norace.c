// Tasks that go over a part of an array, element by element.
// expect: race-free all-schedules
// args: 1000 4 4
#include <assert.h>
#include <stdlib.h>

int main(int argc, char **argv) {
  long n = argc > 1 ? atol(argv[1]) : 4000000;
  int parts = argc > 2 ? atoi(argv[2]) : 64;
  int rounds = argc > 3 ? atoi(argv[3]) : 40;
  int *a = calloc(n, sizeof(int));
#pragma omp parallel
#pragma omp single
  for (int round = 0; round < rounds; round++) {
    for (int part = 0; part < parts; part++) {
#pragma omp task
      for (long i = n * part / parts; i < n * (part + 1) / parts; i++)
        a[i] += part;
    }
#pragma omp taskwait
  }
  for (int part = 0; part < parts; part++)
    assert(a[n * part / parts] == part * rounds);
  free(a);
  return 0;
}
