// A hash table: sections conflict where two items come to the same place, and nowhere else.
// Source: Flanagan, Godefroid, POPL 2005.
// expect: race-free all-schedules
// run: race-free
// executions: 8
// threads: 12
#include <omp.h>
int table[128];

int main(void) {
#pragma omp parallel
  {
    int me = omp_get_thread_num();
    for (int m = 1; m <= 4; m++) {
      int w = m * 11 + me, h = (w * 7) % 128;
#pragma omp critical
      {
        while (table[h])
          h = (h + 1) % 128;
        table[h] = w;
      }
    }
  }
  return 0;
}
