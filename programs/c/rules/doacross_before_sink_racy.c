// What stands before the sink does not wait.
// expect: race
#define N 12

int a[N], b[N];

int main(void) {
#pragma omp parallel for ordered(1)
  for (int i = 1; i < N; i++) {
    b[i] = a[i - 1]; //~ race a[] #1
#pragma omp ordered depend(sink : i - 1)
    a[i] = i; //~ race a[] #1
#pragma omp ordered depend(source)
  }
  return 0;
}
