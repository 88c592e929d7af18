// Breadth-first search, level by level: a vertex belongs to whoever sets its parent first, by compare and swap.
// expect: race-free
// args: 200 4
#include <assert.h>
#include <stdlib.h>

static long vertices, degree;

static long neighbour(long vertex, long edge) { return (vertex * 31 + edge * 977 + 1) % vertices; }

int main(int argc, char **argv) {
  vertices = argc > 1 ? atol(argv[1]) : 200000;
  degree = argc > 2 ? atol(argv[2]) : 16;
  long *parent = malloc(vertices * sizeof *parent), *frontier = malloc(vertices * sizeof *frontier),
       *next = malloc(vertices * sizeof *next);
  for (long v = 0; v < vertices; v++)
    parent[v] = -1;
  long count = 1, reached = 1;
  parent[0] = 0;
  frontier[0] = 0;
  while (count > 0) {
    long after = 0;
#pragma omp parallel for schedule(static)
    for (long i = 0; i < count; i++) {
      long v = frontier[i];
      for (long e = 0; e < degree; e++) {
        long w = neighbour(v, e), nobody = -1;
        if (__atomic_load_n(&parent[w], __ATOMIC_RELAXED) == -1 &&
            __atomic_compare_exchange_n(&parent[w], &nobody, v, 0, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
          long at = __atomic_fetch_add(&after, 1, __ATOMIC_RELAXED);
          next[at] = w;
        }
      }
    }
    long *old = frontier;
    frontier = next;
    next = old;
    count = after;
    reached += after;
  }
  assert(reached > 1 && reached <= vertices);
  free(parent);
  free(frontier);
  free(next);
  return 0;
}
