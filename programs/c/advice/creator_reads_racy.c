// The creator of a task does not wait for it.
// expect: race
// advice: taskwait
// prints: 13
#include <stdio.h>
int fibonacci(int n) {
  if (n < 2)
    return n;
  int left, right;
#pragma omp task shared(left)
  left = fibonacci(n - 1); //~ race left #1
  right = fibonacci(n - 2);
  return left + right; //~ race left #1
}

int main(void) {
  int result;
#pragma omp parallel
#pragma omp single
  result = fibonacci(7);
  printf("%d\n", result);
  return 0;
}
