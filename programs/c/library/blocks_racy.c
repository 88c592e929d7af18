// Functions for blocks of memory, and strings of wide characters, in two tasks on the same bytes.
// expect: race
// flags: -D_GNU_SOURCE
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>
#include <wchar.h>

#define TASK _Pragma("omp task")

char a[16] = "a", b[16] = "b", c[16] = "c", d[16], e[16], f[16] = "f", g[16], h[16] = "h", text[16] = "text";
wchar_t i[16] = L"i", j[16] = L"j", k[16] = L"k", l[16], wide[16] = L"wide";
int m[8] = {3, 1, 2};
volatile size_t results[16];

static int ascending(const void *x, const void *y) { return *(const int *)x - *(const int *)y; } //~ race? m[] #14

int main(void) {
#pragma omp parallel num_threads(2)
#pragma omp single
  {
    TASK a[0] = 'A';                               //~ race a[] #1
    TASK results[0] = (size_t)memcmp(a, text, 16); //~ race a[] #1
    TASK b[3] = 'B';                               //~ race b[] #2
    TASK results[1] = memchr(b, 'x', 8) != 0;      //~ race b[] #2
    TASK c[3] = 'C';                               //~ race c[] #3
    TASK results[2] = memrchr(c, 'x', 8) != 0;     //~ race c[] #3
    TASK results[3] = (size_t)mempcpy(d, text, 8); //~ race d[] #4
    TASK results[4] = (size_t)d[7];                //~ race d[] #4
    TASK explicit_bzero(e, 8);                     //~ race e[] #5
    TASK e[7] = 1;                                 //~ race e[] #5
    TASK f[2] = 'F';                               //~ race f[] #6
    TASK results[5] = memmem(f, 8, "xy", 2) != 0;  //~ race f[] #6
    TASK results[6] = memccpy(g, text, 'x', 8) != 0; //~ race g[] #7
    TASK g[2] = 'G';                               //~ race g[] #7
    TASK h[1] = 'H';                               //~ race h[] #8
    TASK swab(text, h, 4);                         //~ race h[] #8
    TASK i[0] = L'I';                              //~ race i[] #9
    TASK results[7] = wcslen(i);                   //~ race i[] #9
    TASK wcscpy(j, wide);                          //~ race j[] #10
    TASK results[8] = (size_t)wcscmp(j, wide);     //~ race j[] #10
    TASK k[0] = L'K';                              //~ race k[] #11
    TASK results[9] = wcschr(k, L'x') != 0;        //~ race k[] #11
    TASK wmemset(l, L'l', 4);                      //~ race l[] #12
    TASK wmemcpy(l + 3, wide, 2);                  //~ race l[] #12
    TASK qsort(m, 3, sizeof(int), ascending);      //~ race m[] #13
    TASK m[2] = 7;                                 //~ race m[] #13 race? m[] #14
  }
  return 0;
}
