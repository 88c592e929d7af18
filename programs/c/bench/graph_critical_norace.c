// A recursion over a graph: a task for each vertex that was not seen yet, which a critical section says.
// expect: race-free observed-schedule
// args: 100 3
#include <assert.h>
#include <stdlib.h>

static long vertices, degree, visited;
static unsigned char *seen;

static void visit(long vertex) {
  for (long edge = 0; edge < degree; edge++) {
    long next = (vertex * 31 + edge * 977 + 1) % vertices;
    int is_new = 0;
#pragma omp critical
    if (!seen[next]) {
      seen[next] = 1;
      visited++;
      is_new = 1;
    }
    if (is_new) {
#pragma omp task firstprivate(next)
      visit(next);
    }
  }
}

int main(int argc, char **argv) {
  vertices = argc > 1 ? atol(argv[1]) : 5000;
  degree = argc > 2 ? atol(argv[2]) : 40;
  seen = calloc(vertices, 1);
  seen[0] = 1;
  visited = 1;
#pragma omp parallel
#pragma omp single
  visit(0);
  long count = 0;
  for (long v = 0; v < vertices; v++)
    count += seen[v];
  assert(count == visited);
  free(seen);
  return 0;
}
