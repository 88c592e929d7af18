// Scans up and down to a mark, in tasks. Others write what is right behind the marks and before the starts.
// expect: race-free all-schedules
#include <assert.h>

static long up[20], down[20];
static char text[20];
static long *found, *lost;
static int length;

static long *first(long *p) {
  while (*p != 7)
    p++;
  return p;
}

static long *last(long *p) {
  while (*p != 7)
    p--;
  return p;
}

static int size(const char *a) {
  int n = 0;
  while (a[n] != 7)
    n++;
  return n;
}

int main(void) {
  up[12] = down[5] = text[9] = 7;
#pragma omp parallel
#pragma omp single
  {
#pragma omp task
    found = first(up + 1);
#pragma omp task
    lost = last(down + 18);
#pragma omp task
    length = size(text + 1);
#pragma omp task
    up[0] = up[13] = down[4] = down[19] = text[0] = text[10] = 1;
  }
  assert(found == up + 12 && lost == down + 5 && length == 8);
  return 0;
}
