// Functions for strings in two tasks, on different parts of an array: no byte that neither has to look at counts.
// expect: race-free all-schedules
#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define TASK _Pragma("omp task")

char a[16], b[16] = "abcdefghijklmno", c[16] = "abc", d[16] = "ab=cd", e[16] = "12345678", f[16], text[8] = "text";
char g[16] = "ab\0cd", h[16] = "same other";
size_t lengths[16];

int main(void) {
#pragma omp parallel num_threads(2)
#pragma omp single
  {
    TASK strcpy(a, text);
    TASK strcpy(a + 5, text);
    TASK strncpy(a + 10, text, 3);
    TASK a[13] = 0;
    TASK lengths[0] = strnlen(b, 8);
    TASK b[8] = 0;
    TASK strncat(c, "xyz", 1);
    TASK c[5] = 'c';
    TASK lengths[1] = (size_t)(strchr(d, '=') - d);
    TASK d[3] = 'C';
    TASK lengths[2] = strspn(e, "123");
    TASK e[4] = 'e';
    TASK lengths[3] = strlen(g);
    TASK g[3] = 'C';
    TASK lengths[4] = (size_t)strncmp(h, "same", 4);
    TASK lengths[5] = (size_t)strcmp(h, "sad");
    TASK lengths[6] = (size_t)strcasecmp(h, "SAD");
    TASK h[4] = '_';
    TASK lengths[7] = strlen(text);
    TASK lengths[8] = strlen(text);
    TASK {
      char *copy = strdup(text), *part = strndup(text, 2);
      lengths[9] = strlen(copy);
      lengths[10] = strlen(part);
      free(copy);
      free(part);
    }
    TASK lengths[11] = (size_t)(stpcpy(f, text) - f);
    TASK lengths[12] = (size_t)(stpcpy(f + 8, text) - f);
  }
  assert(!strcmp(a, "text") && !strcmp(a + 5, "text") && !memcmp(a + 10, "tex", 4));
  assert(lengths[0] == 8 && !strcmp(c, "abcx") && lengths[1] == 2 && lengths[2] == 3 && lengths[3] == 2);
  assert(lengths[4] == 0 && (int)lengths[5] > 0 && (int)lengths[6] > 0 && lengths[7] == 4 && lengths[9] == 4);
  assert(lengths[10] == 2 && lengths[11] == 4 && lengths[12] == 12);
  return 0;
}
