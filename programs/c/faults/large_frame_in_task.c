// A task has more in one frame than its stack has room for, guard included.
// expect: program-error
// message: overflowed
#include <string.h>

__attribute__((noinline)) static int fill(int n) {
  char frame[64 << 20];
  memset(frame, n, sizeof frame);
  __asm__ volatile("" : : "r"(frame) : "memory");
  return frame[n];
}

int main(void) {
  int got = 0;
#pragma omp parallel
#pragma omp single
  {
#pragma omp task shared(got)
    got = fill(5);
  }
  return got & 0;
}
