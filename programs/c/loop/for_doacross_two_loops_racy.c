// The wavefront without its upper neighbour.
// expect: race
#define N 6

int a[N][N], b[N][N];

int main(void) {
#pragma omp parallel for ordered(2) schedule(dynamic)
  for (int i = 1; i < N; i++)
    for (int j = 1; j < N; j++) {
#pragma omp ordered depend(sink : i, j - 1)
      a[i][j] = i;                         //~ race a[] #1
      b[i][j] = a[i - 1][j] + a[i][j - 1]; //~ race a[] #1
#pragma omp ordered depend(source)
    }
  return 0;
}
