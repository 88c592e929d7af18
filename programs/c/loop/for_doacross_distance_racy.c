// An iteration waits for the second before it, and reads what the first before it writes.
// expect: race
#define N 20

int a[N], b[N];

int main(void) {
#pragma omp parallel for ordered(1) schedule(dynamic)
  for (int i = 2; i < N; i++) {
#pragma omp ordered depend(sink : i - 2)
    a[i] = i;        //~ race a[] #1
    b[i] = a[i - 1]; //~ race a[] #1
#pragma omp ordered depend(source)
  }
  return 0;
}
