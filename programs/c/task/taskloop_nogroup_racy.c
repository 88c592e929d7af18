// With nogroup the creator does not wait.
// expect: race
#define N 12

int a[N], copy;

int main(void) {
#pragma omp parallel
#pragma omp single
  {
#pragma omp taskloop nogroup
    for (int i = 0; i < N; i++)
      a[i] = i; //~ race a[] #1
    copy = a[N / 2]; //~ race a[] #1
  }
  return 0;
}
