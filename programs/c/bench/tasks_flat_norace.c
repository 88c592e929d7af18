// Many short tasks, all of one parent, all made before any is waited for.
// expect: race-free all-schedules
// args: 1000
#include <assert.h>
#include <stdlib.h>

int main(int argc, char **argv) {
  long n = argc > 1 ? atol(argv[1]) : 1000000;
  int *done = calloc(n, sizeof(int));
#pragma omp parallel
#pragma omp single
  for (long i = 0; i < n; i++) {
#pragma omp task
    done[i] = (int)i + 1;
  }
  for (long i = 0; i < n; i++)
    assert(done[i] == i + 1);
  free(done);
  return 0;
}
