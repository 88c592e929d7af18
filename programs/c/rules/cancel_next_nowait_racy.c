// The barrier of a cancelled loop joins what came before it, not the loop that follows.
// expect: race
// env: OMP_CANCELLATION=true
#define N 12

int a[N], b[N], sum;

int main(void) {
#pragma omp parallel
  {
#pragma omp for
    for (int i = 0; i < N; i++) {
      a[i] = 1;
#pragma omp cancel for if (i == 0)
    }
#pragma omp for nowait
    for (int i = 0; i < N; i++)
      b[i] = 1 + a[N - 1 - i]; //~ race b[] #1
#pragma omp single
    sum = b[0]; //~ race b[] #1
  }
  return sum > 2;
}
