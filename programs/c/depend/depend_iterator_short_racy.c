// The iterator stops one element early.
// expect: race
#define N 6

int a[N], sum;

int main(void) {
#pragma omp parallel
#pragma omp single
  {
    for (int i = 0; i < N; i++) {
#pragma omp task depend(out : a[i])
      a[i] = i; //~ race a[] #1
    }
#pragma omp task depend(iterator(int k = 0 : N - 1), in : a[k])
    for (int i = 0; i < N; i++)
      sum += a[i]; //~ race a[] #1
  }
  return 0;
}
