// Each iteration adds what the one before left: an `atomic` would protect the cell that is added to, and not the other.
// expect: race
// advice: ordered
// prints: 45
#include <stdio.h>
int a[10];

int main(void) {
  for (int i = 0; i < 10; i++)
    a[i] = i;
#pragma omp parallel for num_threads(2)
  for (int i = 1; i < 10; i++)
    a[i] += a[i - 1]; //~ race a[] #1
  printf("%d\n", a[9]);
  return 0;
}
