// Iterations that conflict are six apart, and eight may be executed at the same time.
// expect: race
double a[64];

int main(void) {
#pragma omp simd safelen(8)
  for (int i = 6; i < 64; i++)
    a[i] = a[i - 6] + 1; //~ race a[] #1
  return 0;
}
