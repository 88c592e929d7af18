// scanf and its relatives: only what is assigned is written. A number is read up to what follows it.
// expect: race-free all-schedules
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TASK _Pragma("omp task")

int a = 7, b, size;
char c[16], d[16] = "123,456", e[16] = "1.25;2.5";
long x, y;
double u, v;

int main(void) {
#pragma omp parallel num_threads(2)
#pragma omp single
  {
    TASK assert(sscanf("x", "%d", &a) == 0);
    TASK assert(a == 7);
    TASK assert(sscanf("12 x", "%d %d%n", &b, &a, &size) == 1);
    TASK size = 3;
    TASK assert(sscanf("word", "%3s", c) == 1);
    TASK c[4] = 'c';
    TASK x = strtol(d, 0, 10);
    TASK y = atoi(d + 4);
    TASK u = atof(e);
    TASK v = strtod(e + 5, 0);
    TASK e[15] = 1;
  }
  assert(b == 12 && size == 3 && !memcmp(c, "wor\0c", 5) && x == 123 && y == 456 && u == 1.25 && v == 2.5);
  return 0;
}
