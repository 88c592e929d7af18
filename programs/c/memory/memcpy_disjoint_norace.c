// Ranges that touch but do not overlap.
// expect: race-free all-schedules
#include <assert.h>
#include <string.h>

char buffer[40], source[20];

int main(void) {
  memset(source, 7, sizeof source);
#pragma omp parallel
#pragma omp single
  {
#pragma omp task
    memcpy(buffer, source, 19);
#pragma omp task
    memcpy(buffer + 19, source, 20);
#pragma omp task
    memset(buffer + 39, 7, 1);
  }
  for (int i = 0; i < 40; i++)
    assert(buffer[i] == 7);
  return 0;
}
