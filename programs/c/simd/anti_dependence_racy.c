// Each iteration reads what the next one writes: the directive promises that there is no such pair.
// expect: race
long a[64];

int main(void) {
  int n = 63;
#pragma omp simd
  for (int i = 0; i < n; i++)
    a[i] = a[i + 1] * 2; //~ race a[] #1
  return 0;
}
