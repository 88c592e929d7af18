// scanf and its relatives, and conversions of strings to numbers.
// expect: race
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TASK _Pragma("omp task")

int a, b;
char c[16], d[16], e[16] = "5 6", g[16] = "12", h[16] = "1.5x", i[16] = "77";
double f;
long j;
char *k, *l;
volatile long results[8];

int main(void) {
#pragma omp parallel num_threads(2)
#pragma omp single
  {
    TASK results[0] = sscanf("1 2", "%d %*d", &a); //~ race a #1
    TASK a = 3;                                    //~ race a #1
    TASK results[1] = sscanf("1 2", "%2$d %1$ld", &j, &b); //~ race b #2 race j #3
    TASK b = 3;                                    //~ race b #2
    TASK j = 3;                                    //~ race j #3
    TASK results[2] = sscanf("word", "%15s", c);   //~ race c[] #4
    TASK c[4] = 1;                                 //~ race c[] #4
    TASK results[3] = sscanf("abc1", "%[a-z]%n", d, &(int){0}); //~ race d[] #5
    TASK d[3] = 1;                                 //~ race d[] #5
    TASK e[0] = '7';                               //~ race e[] #6
    TASK results[4] = sscanf(e, "%*d");            //~ race e[] #6
    TASK results[5] = sscanf("2.5", "%lf", &f);    //~ race f #7
    TASK f = 1;                                    //~ race f #7
    TASK g[0] = '3';                               //~ race g[] #8
    TASK results[6] = atoi(g);                     //~ race g[] #8
    TASK h[3] = 'y';                               //~ race h[] #9
    TASK results[7] = (long)strtod(h, 0);          //~ race h[] #9
    TASK strtol(i, &k, 10);                        //~ race k #10
    TASK k = 0;                                    //~ race k #10
    TASK sscanf("word", "%ms", &l);                //~ race l #11
    TASK l = 0;                                    //~ race l #11
  }
  return 0;
}
