// The halves overlap by one element.
// expect: race
#define N 8

int a[N], sum;

__attribute__((noinline)) static void clear(int from, int to) {
  for (int i = from; i < to; i++)
    a[i] += i; //~ race a[] #1
}

int main(void) {
#pragma omp parallel
#pragma omp single
  {
#pragma omp task
    clear(0, N / 2 + 1);
#pragma omp task
    clear(N / 2, N);
#pragma omp taskwait
    sum = a[N / 2];
  }
  return 0;
}
