// The byte behind the source of the move is not part of it.
// expect: race-free all-schedules
#include <assert.h>
#include <string.h>

char buffer[40];

int main(void) {
#pragma omp parallel
#pragma omp single
  {
#pragma omp task
    memmove(buffer, buffer + 10, 25);
#pragma omp task
    buffer[35] = 1;
  }
  assert(buffer[35] == 1 && buffer[34] == 0);
  return 0;
}
