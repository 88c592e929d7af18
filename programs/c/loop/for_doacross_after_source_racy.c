// What an iteration does after its source is not waited for.
// expect: race
#define N 20

int a[N], b[N];

int main(void) {
#pragma omp parallel for ordered(1) schedule(static, 1)
  for (int i = 1; i < N; i++) {
#pragma omp ordered depend(sink : i - 1)
    b[i] = a[i - 1]; //~ race a[] #1
#pragma omp ordered depend(source)
    a[i] = i; //~ race a[] #1
  }
  return 0;
}
