// Chunks of two: every element is read by a neighbour of the thread that writes it.
// expect: race
#define N 40

int a[N], b[N];

int main(void) {
#pragma omp parallel num_threads(4)
  {
#pragma omp for schedule(static, 2)
    for (int i = 0; i < N; i++) {
      a[i] = i;        //~ race a[] #1
      b[i] = a[i ^ 2]; //~ race a[] #1
    }
  }
  return 0;
}
