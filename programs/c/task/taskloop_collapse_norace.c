// Two loops made one, and a last value brought out.
// expect: race-free all-schedules
#include <assert.h>

int a[4][5];

int main(void) {
  int last = 0;
#pragma omp parallel
#pragma omp single
  {
#pragma omp taskloop collapse(2) lastprivate(last) grainsize(3)
    for (int i = 0; i < 4; i++)
      for (int j = 0; j < 5; j++) {
        a[i][j] = i + j;
        last = a[i][j];
      }
    assert(last == 7);
  }
  return 0;
}
