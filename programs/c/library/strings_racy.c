// Functions for strings in two tasks, on the same string.
// expect: race
#include <string.h>
#include <strings.h>

#define TASK _Pragma("omp task")

char a[16] = "a", b[16], c[16] = "c", d[16] = "d", e[16] = "e", f[16] = "f", g[16] = "g", h[16] = "h";
char i[16] = "i", j[16] = "j", k[16] = "k", l[16] = "l", m[16] = "m", n[16] = "n", o[16] = "o";
char text[16] = "text", q[32] = "q";
volatile size_t lengths[32];
char *volatile copy;

int main(void) {
#pragma omp parallel num_threads(2)
#pragma omp single
  {
    TASK strcpy(a, text);          //~ race a[] #1
    TASK lengths[0] = strlen(a);   //~ race a[] #1
    TASK strncpy(b, text, 16);     //~ race b[] #2
    TASK b[15] = 0;                //~ race b[] #2
    TASK strcat(c, text);          //~ race c[] #3
    TASK lengths[1] = strnlen(c, 3); //~ race c[] #3
    TASK strncat(d, text, 2);      //~ race d[] #4
    TASK lengths[2] = d[3];        //~ race d[] #4
    TASK stpcpy(e, text);          //~ race e[] #5
    TASK lengths[3] = (size_t)strcmp(e, text); //~ race e[] #5
    TASK f[0] = 'F';               //~ race f[] #6
    TASK lengths[4] = (size_t)strncasecmp(f, "Fa", 2); //~ race f[] #6
    TASK g[0] = 'G';               //~ race g[] #7
    TASK lengths[5] = strchr(g, 'x') != 0; //~ race g[] #7
    TASK h[0] = 'H';               //~ race h[] #8
    TASK lengths[6] = strrchr(h, 'h') != 0; //~ race h[] #8
    TASK i[0] = 'I';               //~ race i[] #9
    TASK lengths[7] = strstr(i, "xy") != 0; //~ race i[] #9
    TASK j[0] = 'J';               //~ race j[] #10
    TASK lengths[8] = strstr(text, j) != 0; //~ race j[] #10
    TASK k[1] = 'K';               //~ race k[] #11
    TASK lengths[9] = strspn(k, "kK"); //~ race k[] #11
    TASK l[1] = 'L';               //~ race l[] #12
    TASK lengths[10] = strcspn(l, "x"); //~ race l[] #12
    TASK m[0] = 'M';               //~ race m[] #13
    TASK copy = strdup(m);         //~ race m[] #13
    TASK n[0] = 'N';               //~ race n[] #14
    TASK lengths[11] = strpbrk(n, "xyz") != 0; //~ race n[] #14
    TASK o[0] = 'O';               //~ race o[] #15
    TASK lengths[12] = (size_t)strcoll(o, text); //~ race o[] #15
    TASK lengths[13] = strxfrm(q, text, sizeof q); //~ race q[] #16
    TASK q[0] = 0;                 //~ race q[] #16
  }
  return 0;
}
