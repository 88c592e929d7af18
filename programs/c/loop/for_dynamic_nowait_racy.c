// A dynamic schedule gives no promise that a thread gets the same iterations twice.
// expect: race
#define N 40

int a[N], b[N];

int main(void) {
#pragma omp parallel
  {
#pragma omp for schedule(dynamic) nowait
    for (int i = 0; i < N; i++)
      a[i] = i; //~ race a[] #1
#pragma omp for schedule(dynamic)
    for (int i = 0; i < N; i++)
      b[i] = a[i]; //~ race a[] #1
  }
  return 0;
}
