// The wait comes before the second child.
// expect: race
__attribute__((noinline)) static void add(int *to, const int *value) {
  *to += *value; //~ race x[] #1
}

__attribute__((noinline)) static void count(int *out, int n) {
  int x[2] = {0, 0};
  if (n > 0) {
#pragma omp task shared(x)
    count(&x[0], n - 1);
#pragma omp taskwait
#pragma omp task shared(x)
    count(&x[1], 0);
    add(&x[0], &x[1]);
#pragma omp taskwait
  }
  *out = x[0] + 1; //~ race x[] #1
}

int main(void) {
  int result = 0;
#pragma omp parallel
#pragma omp single
  count(&result, 1);
  return 0;
}
