// Functions of the C library that call back, print and keep a state of their own.
// expect: race-free all-schedules
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>

int a[4][8];

static int ascending(const void *x, const void *y) {
  return *(const int *)x - *(const int *)y;
}

int main(void) {
#pragma omp parallel for schedule(dynamic)
  for (int t = 0; t < 4; t++) {
    char text[16];
    for (int i = 0; i < 8; i++)
      a[t][i] = (i * 5 + t) % 8;
    qsort(a[t], 8, sizeof(int), ascending);
    snprintf(text, sizeof text, "%d", t);
    assert(atoi(text) == t);
    printf("row %s\n", text);
  }
  for (int t = 0; t < 4; t++)
    assert(a[t][0] == 0 && a[t][7] == 7);
  return 0;
}
