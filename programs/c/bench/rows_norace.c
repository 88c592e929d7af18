// Whole rows: a task sets, copies and moves rows of a matrix with the functions of the C library.
// expect: race-free all-schedules
// args: 16 1000 4
#include <assert.h>
#include <stdlib.h>
#include <string.h>

int main(int argc, char **argv) {
  long rows = argc > 1 ? atol(argv[1]) : 512;
  long length = argc > 2 ? atol(argv[2]) : 65536;
  int rounds = argc > 3 ? atoi(argv[3]) : 100;
  char *a = malloc(rows * length), *b = malloc(rows * length);
  for (int round = 0; round < rounds; round++) {
#pragma omp parallel
#pragma omp single
    for (long row = 0; row < rows; row++) {
#pragma omp task
      {
        char *from = a + row * length, *to = b + row * length;
        memset(from, (int)(row + round) % 128, length);
        memcpy(to, from, length);
        memmove(to, to + length / 2, length - length / 2);
      }
    }
  }
  for (long row = 0; row < rows; row++)
    for (long i = 0; i < length; i += 63)
      assert(b[row * length + i] == (row + rounds - 1) % 128);
  free(a), free(b);
  return 0;
}
