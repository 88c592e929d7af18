// State that functions keep for themselves: strtok, the environment, drand48. And strings that are taken apart.
// expect: race
#include <stdlib.h>
#include <string.h>

#define TASK _Pragma("omp task")

char a[16] = "a b", b[16] = "c d", c[16] = "e f", d[16] = "g h", *next = d, *rest;
volatile long results[8];

int main(void) {
#pragma omp parallel num_threads(2)
#pragma omp single
  {
    TASK results[0] = strtok(a, " ") != 0;       //~ race the_state_of_strtok #1
    TASK results[1] = strtok(b, " ") != 0;       //~ race the_state_of_strtok #1
    TASK results[2] = strtok_r(c, " ", &rest) != 0; //~ race c[] #2 race rest #3
    TASK c[1] = 'C';                             //~ race c[] #2
    TASK rest = 0;                               //~ race rest #3
    TASK results[3] = strsep(&next, " ") != 0;   //~ race next #4
    TASK next = 0;                               //~ race next #4
    TASK results[4] = getenv("HOME") != 0;       //~ race the_environment #5
    TASK results[5] = setenv("NAME", "value", 1); //~ race the_environment #5
    TASK results[6] = lrand48();                 //~ race the_state_of_drand48 #6
    TASK srand48(1);                             //~ race the_state_of_drand48 #6
  }
  return 0;
}
