// The source of a move is written by another task.
// expect: race
#include <string.h>

char buffer[40];

int main(void) {
#pragma omp parallel
#pragma omp single
  {
#pragma omp task
    memmove(buffer, buffer + 10, 25); //~ race buffer[] #1
#pragma omp task
    buffer[34] = 1; //~ race buffer[] #1
  }
  return 0;
}
