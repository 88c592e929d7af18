// Iterations of a simd loop that need each other.
// expect: race
// advice: no-simd
// prints: 36 4
#include <stdio.h>
int a[9], threads;

int main(void) {
#pragma omp parallel num_threads(4)
  {
#pragma omp single
    {
#pragma omp simd
      for (int i = 1; i < 9; i++)
        a[i] = a[i - 1] + i; //~ race a[] #1
    }
#pragma omp atomic
    threads++;
  }
  printf("%d %d\n", a[8], threads);
  return 0;
}
