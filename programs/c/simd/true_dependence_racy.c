// Each iteration reads what the one before has written: in one vector it reads too early.
// expect: race
int a[100], b[100];

int main(void) {
#pragma omp simd
  for (int i = 0; i < 99; i++)
    a[i + 1] = a[i] + b[i]; //~ race a[] #1
  return 0;
}
