// The tasks of a task loop are not ordered.
// expect: race
#define N 30

int a[N], b[N];

int main(void) {
#pragma omp parallel
#pragma omp single
  {
#pragma omp taskloop grainsize(1)
    for (int i = 0; i < N; i++) {
      a[i] = i;        //~ race a[] #1
      b[i] = a[i ^ 1]; //~ race a[] #1
    }
  }
  return 0;
}
