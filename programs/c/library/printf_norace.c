// printf and its relatives: a precision ends what is read of a string, the size what is written of a buffer.
// expect: race-free all-schedules
// flags: -D_GNU_SOURCE
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TASK _Pragma("omp task")

char a[16] = "abcdef", b[16], c[16], d[16] = "abcdef", text[16] = "text";
int size, count;
char *allocated;

int main(void) {
#pragma omp parallel num_threads(2)
#pragma omp single
  {
    TASK printf("%.3s\n", a);
    TASK printf("%2$d %1$.*2$s\n", a, 3);
    TASK a[3] = 'D';
    TASK size = snprintf(b, 4, "%s", "12345678");
    TASK b[4] = 'b';
    TASK sprintf(c, "%d%n", 123, &count);
    TASK sprintf(c + 4, "%s", text);
    TASK sprintf(c + 9, "%s", text);
    TASK printf("%5.1f %Lf %p %c %%\n", 1.5, 2.5L, (void *)a, 'x');
    TASK snprintf(0, 0, "%s", text);
    TASK snprintf(d, 0, "%s", text);
    TASK d[0] = 'A';
    TASK asprintf(&allocated, "%d %s", 1, text);
  }
  assert(size == 8 && !memcmp(b, "123\0b", 5) && count == 3 && !strcmp(c, "123") && !strcmp(c + 4, "text"));
  assert(!strcmp(allocated, "1 text"));
  free(allocated);
  return 0;
}
