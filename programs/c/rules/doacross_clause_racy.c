// Iterations of two chains: the even ones wait for even ones only.
// expect: race
// flags: -fopenmp-version=52
#define N 12

int a[N];

int main(void) {
#pragma omp parallel for ordered(1)
  for (int i = 0; i < N; i++) {
#pragma omp ordered doacross(sink : i - 2)
    a[i] = i < 1 ? 0 : a[i - 1]; //~ race a[] #1
#pragma omp ordered doacross(source :)
  }
  return 0;
}
