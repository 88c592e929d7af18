// The copies of an array are made before its source is changed by the thread that has it.
// expect: race-free all-schedules
#include <assert.h>

int main(void) {
#pragma omp parallel
  {
    int own[4];
#pragma omp single copyprivate(own)
    for (int i = 0; i < 4; i++)
      own[i] = i;
    assert(own[3] == 3);
    own[3] = 0;
#pragma omp single copyprivate(own)
    own[2] = 7;
    assert(own[2] == 7 && own[3] == 0);
  }
  return 0;
}
