// A simd loop does not share out its iterations: every thread runs them all.
// expect: race
#define N 32

int a[N];

int main(void) {
#pragma omp parallel num_threads(2)
  {
#pragma omp simd
    for (int i = 0; i < N; i++)
      a[i] = a[i] + i; //~ race a[] #1
  }
  return 0;
}
