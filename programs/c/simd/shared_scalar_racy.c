// All iterations write one variable.
// expect: race
int a[32];

int main(void) {
  int last = 0;
#pragma omp simd
  for (int i = 0; i < 32; i++)
    last = a[i]; //~ race last #1
  return last;
}
