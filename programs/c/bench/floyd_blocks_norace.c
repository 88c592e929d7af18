// All shortest paths in blocks: for each k the diagonal block, its row and column, then the rest.
// expect: race-free all-schedules
// args: 32 8
#include <assert.h>
#include <stdlib.h>

static int n, size;
static int *distance;

static void relax(int bi, int bj, int bk) {
  for (int k = bk; k < bk + size; k++)
    for (int i = bi; i < bi + size; i++)
      for (int j = bj; j < bj + size; j++) {
        int through = distance[i * n + k] + distance[k * n + j];
        if (through < distance[i * n + j])
          distance[i * n + j] = through;
      }
}

int main(int argc, char **argv) {
  n = argc > 1 ? atoi(argv[1]) : 768;
  size = argc > 2 ? atoi(argv[2]) : 32;
  assert(n % size == 0);
  distance = malloc(sizeof(int) * n * n);
  // A ring, with a shortcut over every sixteenth node.
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      distance[i * n + j] = i == j ? 0 : j == (i + 1) % n ? 1 : i % 16 == 0 && j == (i + 16) % n ? 2 : 1000000;
#pragma omp parallel
#pragma omp single
  for (int k = 0; k < n; k += size) {
    relax(k, k, k);
    for (int at = 0; at < n; at += size)
      if (at != k) {
#pragma omp task
        relax(k, at, k);
#pragma omp task
        relax(at, k, k);
      }
#pragma omp taskwait
    for (int i = 0; i < n; i += size)
      for (int j = 0; j < n; j += size)
        if (i != k && j != k) {
#pragma omp task
          relax(i, j, k);
        }
#pragma omp taskwait
  }
  for (int j = 0; j < n; j++)
    assert(distance[j] == 2 * (j / 16) + j % 16);
  free(distance);
  return 0;
}
