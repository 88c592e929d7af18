// The neighbour above to the right is not waited for.
// expect: race
#define N 6

int a[N][N + 1];

int main(void) {
#pragma omp parallel for ordered(2)
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++) {
#pragma omp ordered depend(sink : i - 1, j)
      a[i][j] = i ? a[i - 1][j + 1] + 1 : 1; //~ race a[] #1
#pragma omp ordered depend(source)
    }
  return 0;
}
