// All iterations read under a lock but one in the middle; the last one writes, under the lock.
// expect: race
// threads: 2
#define N 40

int x, a[N];

int main(void) {
#pragma omp parallel for schedule(dynamic)
  for (int i = 0; i < N; i++) {
    if (i == N - 1) {
#pragma omp critical
      x = 1; //~ race x #1
    } else if (i == 17) {
      a[i] = x; //~ race x #1
    } else {
#pragma omp critical
      a[i] = x;
    }
  }
  return 0;
}
