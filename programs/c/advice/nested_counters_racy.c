// Counters of inner loops and a sum, declared outside: each iteration needs its own, however deep inside it begins to use them.
// expect: race
// advice: private
// prints: 380
#include <stdio.h>
#define N 8
int a[N][N], b[N][N], c[N][N];

int main(void) {
  int i, j, k, t;
  for (i = 0; i < N; i++)
    for (j = 0; j < N; j++)
      a[i][j] = b[i][j] = i + j;
#pragma omp parallel for num_threads(2)
  for (i = 0; i < N; i++)
    for (j = 0; j < N; j++) { //~ race j #1 race? j #2 #3
      t = 0; //~ race t #4 race? t #5 #6
      for (k = 0; k < N; k++) //~ race k #7 race? k #8
        t += a[i][k] * b[k][j]; //~ race? j #2 race? k #8 race? t #5 #9 #10
      c[i][j] = t; //~ race? j #3 race? t #6 #10
    }
  printf("%d\n", c[3][3]);
  return 0;
}
