// The two destinations overlap by one byte.
// expect: race
#include <string.h>

char buffer[40], source[20];

__attribute__((noinline)) static void put(int at, size_t count) {
  memcpy(buffer + at, source, count); //~ race buffer[] #1
}

int main(void) {
#pragma omp parallel
#pragma omp single
  {
#pragma omp task
    put(0, 20);
#pragma omp task
    put(19, 20);
  }
  return 0;
}
