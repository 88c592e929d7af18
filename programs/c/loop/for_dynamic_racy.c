// Neighbouring iterations of a dynamic schedule may be on two threads, even if one took both here.
// expect: race
#define N 40

int a[N], b[N];

int main(void) {
#pragma omp parallel for schedule(dynamic)
  for (int i = 1; i < N; i++) {
    a[i] = i;        //~ race a[] #1
    b[i] = a[i - 1]; //~ race a[] #1
  }
  return 0;
}
