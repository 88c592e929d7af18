// Elements are packed, upwards and downwards, in tasks; one finds nothing to pack. Others write next to what is packed.
// expect: race-free all-schedules
#include <assert.h>

static int from[20], none[20], up[20], down[20], empty[20];
static int *end, *begin, *nothing;

static int *pack(const int *a, int *to) {
  while (*a >= 0) {
    if (*a & 1)
      *to++ = *a;
    a++;
  }
  return to;
}

static int *pack_down(const int *a, int *to) {
  while (*a >= 0) {
    if (*a & 1)
      *--to = *a;
    a++;
  }
  return to;
}

int main(void) {
  for (int i = 0; i < 20; i++)
    from[i] = i < 19 ? i : -1, none[i] = i < 19 ? 2 * i : -1;
#pragma omp parallel
#pragma omp single
  {
#pragma omp task
    end = pack(from, up + 2);
#pragma omp task
    begin = pack_down(from, down + 15);
#pragma omp task
    nothing = pack(none, empty);
#pragma omp task
    up[1] = up[11] = down[5] = down[15] = empty[0] = 1;
  }
  assert(end == up + 11 && begin == down + 6 && nothing == empty);
  return 0;
}
