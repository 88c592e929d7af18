// A dependence from one block of a chunk size to the next.
// expect: race
#define N 64
int a[N];

int main(void) {
#pragma omp parallel for schedule(static, 4)
  for (int i = 1; i < N; i++)
    a[i] = //~ race a[] #1
        a[i - 1] + 1; //~ race a[] #1
  return 0;
}
