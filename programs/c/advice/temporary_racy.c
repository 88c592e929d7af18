// A temporary that every iteration needs for itself.
// expect: race
// advice: private
// prints: 285
#include <stdio.h>
int squares[10];

int main(void) {
  int square, sum = 0;
#pragma omp parallel for num_threads(2)
  for (int i = 0; i < 10; i++) {
    square = i * i; //~ race square #1 #2
    squares[i] = square; //~ race square #2
  }
  for (int i = 0; i < 10; i++)
    sum += squares[i];
  printf("%d\n", sum);
  return 0;
}
