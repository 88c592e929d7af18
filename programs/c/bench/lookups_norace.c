// Look-ups in a sorted table by binary search, each in an iteration of a parallel loop.
// expect: race-free all-schedules
// args: 1000 2000
#include <assert.h>
#include <stdlib.h>

static long find(const long *table, long n, long key) {
  long low = 0, high = n;
  while (low < high) {
    long middle = low + (high - low) / 2;
    if (table[middle] < key)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

int main(int argc, char **argv) {
  long n = argc > 1 ? atol(argv[1]) : 1000000;
  long queries = argc > 2 ? atol(argv[2]) : 4000000;
  long *table = malloc(n * sizeof *table), found = 0;
  for (long i = 0; i < n; i++)
    table[i] = 2 * i;
#pragma omp parallel for reduction(+ : found)
  for (long q = 0; q < queries; q++) {
    long key = (long)((unsigned long)q * 2654435761u % (2 * n));
    long at = find(table, n, key);
    found += at < n && table[at] == key;
  }
  long expected = 0;
  for (long q = 0; q < queries; q++)
    expected += (long)((unsigned long)q * 2654435761u % (2 * n)) % 2 == 0;
  assert(found == expected);
  free(table);
  return 0;
}
