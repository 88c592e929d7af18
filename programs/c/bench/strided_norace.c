// Tasks that go down the columns of a matrix whose rows are long.
// expect: race-free all-schedules
// args: 100 64 4
#include <assert.h>
#include <stdlib.h>

int main(int argc, char **argv) {
  long rows = argc > 1 ? atol(argv[1]) : 1000;
  long columns = argc > 2 ? atol(argv[2]) : 1024;
  int rounds = argc > 3 ? atoi(argv[3]) : 40;
  int *a = calloc(rows * columns, sizeof(int));
#pragma omp parallel
#pragma omp single
  for (int round = 0; round < rounds; round++) {
    for (long column = 0; column < columns; column += 16) {
#pragma omp task
      for (long j = column; j < column + 16; j++)
        for (long i = 0; i < rows; i++)
          a[i * columns + j] += (int)j;
    }
#pragma omp taskwait
  }
  for (long j = 0; j < columns; j++)
    assert(a[(rows - 1) * columns + j] == j * rounds);
  free(a);
  return 0;
}
