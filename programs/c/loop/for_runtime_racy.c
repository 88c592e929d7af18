// The schedule comes from the environment; with chunks of one, neighbours are on different threads.
// expect: race
// env: OMP_SCHEDULE=static,1
#define N 40

int a[N], b[N];

int main(void) {
#pragma omp parallel for schedule(runtime)
  for (int i = 1; i < N; i++) {
    a[i] = i;        //~ race a[] #1
    b[i] = a[i - 1]; //~ race a[] #1
  }
  return 0;
}
