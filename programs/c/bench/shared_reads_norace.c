// Many tasks read one table that nobody writes.
// expect: race-free all-schedules
// args: 20 100 4
#include <assert.h>
#include <stdlib.h>

int main(int argc, char **argv) {
  int tasks = argc > 1 ? atoi(argv[1]) : 2000;
  int size = argc > 2 ? atoi(argv[2]) : 10000;
  int rounds = argc > 3 ? atoi(argv[3]) : 80;
  int *table = malloc(sizeof(int) * size);
  long *result = calloc(tasks, sizeof(long)), should = 0;
  for (int i = 0; i < size; i++)
    should += table[i] = i * 31 % 1000;
#pragma omp parallel
#pragma omp single
  for (int task = 0; task < tasks; task++) {
#pragma omp task
    {
      long sum = 0;
      for (int round = 0; round < rounds; round++)
        for (int i = 0; i < size; i++)
          sum += table[i];
      result[task] = sum;
    }
  }
  for (int task = 0; task < tasks; task++)
    assert(result[task] == should * rounds);
  free(table), free(result);
  return 0;
}
