// A barrier must not stand inside of a worksharing loop.
// expect: race
// advice: ordered
// prints: 9
#include <stdio.h>
int a[10], b[10];

int main(void) {
#pragma omp parallel num_threads(2)
  {
#pragma omp for
    for (int i = 0; i < 9; i++) {
      a[i] = i; //~ race a[] #1
      b[i] = a[i + 1]; //~ race a[] #1
    }
  }
  int sum = 0;
  for (int i = 0; i < 9; i++)
    sum += a[i] - b[i] - i;
  printf("%d\n", sum + 9);
  return 0;
}
