// The second loop reads the neighbour's element, and nowait removed the barrier.
// expect: race
#define N 40

int a[N + 1], b[N];

int main(void) {
#pragma omp parallel num_threads(4)
  {
#pragma omp for schedule(static) nowait
    for (int i = 0; i < N; i++)
      a[i] = i; //~ race a[] #1
#pragma omp for schedule(static)
    for (int i = 0; i < N; i++)
      b[i] = a[i + 1]; //~ race a[] #1
  }
  return 0;
}
