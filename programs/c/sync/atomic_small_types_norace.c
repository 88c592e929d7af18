// Atomic updates of a byte, a short, a float and a pointer-sized integer.
// expect: race-free observed-schedule
#include <assert.h>

struct {
  unsigned char byte;
  short half;
  float real;
  unsigned long word;
} sums;

int main(void) {
#pragma omp parallel for num_threads(4)
  for (int i = 0; i < 16; i++) {
#pragma omp atomic
    sums.byte += 1;
#pragma omp atomic
    sums.half -= 2;
#pragma omp atomic
    sums.real += 0.25f;
#pragma omp atomic
    sums.word |= 1ul << (i + 32);
  }
  assert(sums.byte == 16 && sums.half == -32 && sums.real == 4.0f);
  assert(sums.word == 0xffff00000000ul);
  return 0;
}
