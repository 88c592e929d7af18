// A taskwait does not wait for the tasks of a task.
// expect: race
// advice: taskgroup
// prints: 9
#include <stdio.h>
int x, y;

int main(void) {
#pragma omp parallel
#pragma omp single
  {
#pragma omp task
    {
#pragma omp task
      x = 9; //~ race x #1
    }
#pragma omp taskwait
    y = x; //~ race x #1
  }
  printf("%d\n", y);
  return 0;
}
