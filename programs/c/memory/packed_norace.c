// Unaligned fields of a packed struct that do not overlap.
// expect: race-free all-schedules
#include <assert.h>

struct __attribute__((packed)) record {
  char tag;
  int value;
  long total;
  short end;
} r[2];

int main(void) {
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < 2; i++) {
#pragma omp task
    r[i].tag = 1;
#pragma omp task
    r[i].value = 2;
#pragma omp task
    r[i].total = 3;
#pragma omp task
    r[i].end = 4;
  }
  assert(r[1].tag + r[1].value + r[1].total + r[1].end == 10);
  return 0;
}
