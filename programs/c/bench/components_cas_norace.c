// Connected components: every edge hooks the greater root to the smaller by compare and swap, until nothing changes.
// expect: race-free
// args: 300 600
#include <assert.h>
#include <stdlib.h>

static long *root;

static long find(long v) {
  long up;
  while ((up = __atomic_load_n(&root[v], __ATOMIC_RELAXED)) != v)
    v = up;
  return v;
}

int main(int argc, char **argv) {
  long vertices = argc > 1 ? atol(argv[1]) : 200000;
  long edges = argc > 2 ? atol(argv[2]) : 1000000;
  root = malloc(vertices * sizeof *root);
  for (long v = 0; v < vertices; v++)
    root[v] = v;
#pragma omp parallel for schedule(static)
  for (long e = 0; e < edges; e++) {
    long a = (long)((unsigned long)e * 2654435761u % vertices), b = (a + e % 7 * 64) % vertices;
    for (;;) {
      long x = find(a), y = find(b);
      if (x == y)
        break;
      long high = x > y ? x : y, low = x > y ? y : x, expected = high;
      if (__atomic_compare_exchange_n(&root[high], &expected, low, 0, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
        break;
    }
  }
  for (long v = 0; v < vertices; v++)
    assert(root[v] <= v);
  free(root);
  return 0;
}
