// expect: race
#define N 100
int a[N];

int main(void) {
#pragma omp parallel for
  for (int i = 12; i < N; i++)
    a[i] = //~ race a[] #1
        a[i - 12] + 1; //~ race a[] #1
  return 0;
}
