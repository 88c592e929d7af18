// A plain store to what others count atomically, made only by who comes first.
// expect: race
// run: race-free
// executions: 3
#include <omp.h>
int came, counter;

int main(void) {
#pragma omp parallel num_threads(2)
  {
    int mine;
#pragma omp critical
    mine = came++;
    if (omp_get_thread_num() == 1 && mine == 0)
      counter = 0; //~ race counter #1
    else {
#pragma omp atomic
      counter++; //~ race counter #1
    }
  }
  return 0;
}
