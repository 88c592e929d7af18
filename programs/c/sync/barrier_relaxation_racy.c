// The stencil in place: neighbours are read while they are written.
// expect: race
#define N 18

int cell[N], next[N];

int main(void) {
#pragma omp parallel num_threads(4)
  for (int step = 0; step < 2; step++) {
#pragma omp for nowait
    for (int i = 1; i < N - 1; i++)
      next[i] = cell[i - 1] + cell[i + 1]; //~ race cell[] #1
#pragma omp for
    for (int i = 1; i < N - 1; i++)
      cell[i] = next[i]; //~ race cell[] #1
  }
  return 0;
}
