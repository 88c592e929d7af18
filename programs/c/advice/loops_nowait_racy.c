// A loop that does not wait before the next one reads its results.
// expect: race
// advice: nowait
// prints: 36
#include <stdio.h>
int a[9], b[9];

int main(void) {
#pragma omp parallel num_threads(3)
  {
#pragma omp for nowait
    for (int i = 0; i < 9; i++)
      a[i] = i; //~ race a[] #1
#pragma omp for
    for (int i = 0; i < 9; i++)
      b[i] = a[8 - i]; //~ race a[] #1
  }
  int sum = 0;
  for (int i = 0; i < 9; i++)
    sum += b[i];
  printf("%d\n", sum);
  return 0;
}
