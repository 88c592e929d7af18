// An iteration that skips its ordered region is ordered with nobody.
// expect: race
#define N 12

int a[N + 1], seen[N];

int main(void) {
#pragma omp parallel for ordered schedule(static, 1)
  for (int i = 0; i < N; i++) {
    if (i % 2 == 0) {
      a[i] = i; //~ race a[] #1
    } else {
#pragma omp ordered
      seen[i] = a[i - 1]; //~ race a[] #1
    }
  }
  return 0;
}
