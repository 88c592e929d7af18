// Each iteration needs the result of the one before: no barrier and no atomic helps.
// expect: race
// advice: ordered
// prints: 45
#include <stdio.h>
int a[10];

int main(void) {
#pragma omp parallel for num_threads(2)
  for (int i = 1; i < 10; i++)
    a[i] = a[i - 1] + i; //~ race a[] #1
  printf("%d\n", a[9]);
  return 0;
}
