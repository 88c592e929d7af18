// The program asks for the thread number, to print it. Thread 0 comes to the single after the master region; others race.
// expect: race
#include <omp.h>
#include <stdio.h>
int x, y;

int main(void) {
#pragma omp parallel
  {
    fprintf(stderr, "thread %d\n", omp_get_thread_num());
#pragma omp master
    x = 1; //~ race x #1
#pragma omp single
    y = x; //~ race x #1
  }
  return y > 1;
}
