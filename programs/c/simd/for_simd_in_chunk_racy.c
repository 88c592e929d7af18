// Chunks of eight: no thread needs what another writes, but the lanes of one do.
// expect: race
int a[64];

int main(void) {
#pragma omp parallel for simd num_threads(2) schedule(static, 8)
  for (int i = 0; i < 64; i++)
    if (i % 8 != 0)
      a[i] = a[i - 1] + 1; //~ race a[] #1
  return 0;
}
