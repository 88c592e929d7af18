// printf and its relatives: what a format reads and writes, and the buffer.
// expect: race
// flags: -D_GNU_SOURCE
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>

#define TASK _Pragma("omp task")

char a[16] = "a", b[16], c[16], d[16] = "dddd", e[16] = "%d\n", g[16] = "g", h[16] = "h";
int f;
char *allocated;
wchar_t i[16] = L"i", j[16];

__attribute__((noinline)) static void print(char *to, const char *format, ...) {
  va_list list;
  va_start(list, format);
  vsnprintf(to, 8, format, list); //~ race h[] #8
  va_end(list);
}

int main(void) {
#pragma omp parallel num_threads(2)
#pragma omp single
  {
    TASK a[0] = 'A';                            //~ race a[] #1
    TASK printf("%d %5.2f %Lf %s\n", 1, 2.5, 3.5L, a); //~ race a[] #1
    TASK sprintf(b, "%d", 12345);               //~ race b[] #2
    TASK b[5] = 1;                              //~ race b[] #2
    TASK snprintf(c, 4, "%s", "12345678");      //~ race c[] #3
    TASK c[3] = 1;                              //~ race c[] #3
    TASK d[1] = 'D';                            //~ race d[] #4
    TASK printf("%2$.*1$s\n", 2, d);            //~ race d[] #4
    TASK e[1] = 'x';                            //~ race e[] #5
    TASK fprintf(stdout, e, 1);                 //~ race e[] #5
    TASK printf("%d%n\n", 5, &f);               //~ race f #6
    TASK f = 1;                                 //~ race f #6
    TASK g[0] = 'G';                            //~ race g[] #7
    TASK printf("%d %d %d %d %d %d %d %s\n", 1, 2, 3, 4, 5, 6, 7, g); //~ race g[] #7
    TASK h[0] = 'H';                            //~ race h[] #8
    TASK print(h, "%s", "text");
    TASK asprintf(&allocated, "%s", "text");    //~ race allocated #9
    TASK allocated = 0;                         //~ race allocated #9
    TASK i[0] = L'I';                           //~ race i[] #10
    TASK printf("%ls\n", i);                    //~ race i[] #10
    TASK swprintf(j, 16, L"%d", 123);           //~ race j[] #11
    TASK j[3] = 1;                              //~ race j[] #11
  }
  return 0;
}
