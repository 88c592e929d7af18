// Vector lanes are one thread; the blocks of the threads still meet at their ends.
// expect: race
#define N 64

float a[N + 4];

int main(void) {
#pragma omp parallel for simd schedule(static) safelen(4)
  for (int i = 0; i < N; i++)
    a[i] = a[i + 4] * 2.0f; //~ race a[] #1
  return 0;
}
