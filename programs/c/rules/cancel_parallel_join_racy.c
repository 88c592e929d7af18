// A thread that was cancelled does not wait for the others at the construct it left.
// expect: race
// env: OMP_CANCELLATION=true
#define N 12

int a[N], seen;

int main(void) {
#pragma omp parallel
  {
#pragma omp for nowait
    for (int i = 0; i < N; i++)
      a[i] = 1; //~ race a[] #1
#pragma omp single nowait
    seen = a[0] + a[N - 1]; //~ race a[] #1
#pragma omp cancel parallel
  }
  return 0;
}
