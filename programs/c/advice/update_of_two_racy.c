// What `atomic` does not take.
// expect: race
// advice: ordered critical
// holds: critical
// prints: 1023
#include <stdio.h>
int bits;

int main(void) {
#pragma omp parallel for num_threads(4)
  for (int i = 0; i < 10; i++)
    bits = (bits | 1 << i) & 1023; //~ race bits #1
  printf("%d\n", bits);
  return 0;
}
