// The second loop has fewer iterations, and is divided otherwise.
// expect: race
#define N 40
int a[N], b[N];

int main(void) {
#pragma omp parallel
  {
#pragma omp for schedule(static) nowait
    for (int i = 0; i < N; i++)
      a[i] = i; //~ race a[] #1
#pragma omp for schedule(static)
    for (int i = 0; i < N - 1; i++)
      b[i] = a[i]; //~ race a[] #1
  }
  return 0;
}
