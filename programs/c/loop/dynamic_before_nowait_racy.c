// No barrier between two dynamic loops: an iteration of the second does not know who ran that of the first.
// expect: race
#define N 8

int a[N], b[N];

int main(void) {
#pragma omp parallel num_threads(2)
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
