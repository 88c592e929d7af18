// Cells that several iterations count in: no reduction of a variable.
// expect: race
// advice: atomic
// prints: 25 25 25 25
#include <stdio.h>
int bins[4];

int main(void) {
#pragma omp parallel for num_threads(4)
  for (int i = 0; i < 100; i++)
    bins[i % 4]++; //~ race bins[] #1
  printf("%d %d %d %d\n", bins[0], bins[1], bins[2], bins[3]);
  return 0;
}
