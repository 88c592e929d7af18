// A test and what follows from it belong into one section.
// expect: race
// advice: ordered critical
// holds: critical
// prints: 94
#include <stdio.h>
int largest;

int main(void) {
#pragma omp parallel for num_threads(4)
  for (int i = 0; i < 40; i++) {
    int value = i * 37 % 97;
    if (value > largest) //~ race largest #1
      largest = value; //~ race largest #1 race? largest #2
  }
  printf("%d\n", largest);
  return 0;
}
