// Functions for blocks of memory, strings of wide characters and sorting, in two tasks on different bytes.
// expect: race-free all-schedules
// flags: -D_GNU_SOURCE
#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <wchar.h>

#define TASK _Pragma("omp task")

char a[16] = "abcdefgh", b[16] = "ab=cd", c[16], text[16] = "text";
wchar_t d[16] = L"wide", e[16];
int f[12] = {3, 1, 2, 9, 8, 7, 0, 5, 4, 6, 11, 10};
size_t results[16];

static int ascending(const void *x, const void *y) { return *(const int *)x - *(const int *)y; }

int main(void) {
#pragma omp parallel num_threads(2)
#pragma omp single
  {
    TASK results[0] = (size_t)memcmp(a, "abx", 3);
    TASK results[1] = (size_t)memcmp(a, "ax", 2);
    TASK a[3] = 'D';
    TASK results[2] = (size_t)((char *)memchr(b, '=', 16) - b);
    TASK b[3] = 'C';
    TASK mempcpy(c, text, 4);
    TASK explicit_bzero(c + 4, 4);
    TASK memccpy(c + 8, text, 'x', 4);
    TASK c[11] = 'c';
    TASK results[3] = wcslen(d);
    TASK d[5] = L'x';
    TASK wmemcpy(e, d, 4);
    TASK wmemset(e + 4, L'e', 4);
    TASK qsort(f, 6, sizeof(int), ascending);
    TASK qsort(f + 6, 6, sizeof(int), ascending);
  }
  assert((int)results[0] < 0 && (int)results[1] < 0 && results[2] == 2 && results[3] == 4);
  assert(!memcmp(c, "text\0\0\0\0texc", 12) && e[0] == L'w' && e[7] == L'e');
  for (int i = 0; i < 5; i++)
    assert(f[i] < f[i + 1] && f[6 + i] < f[7 + i]);
  return 0;
}
