// Tickets from an atomic counter: only if the second thread gets the first one do both write.
// expect: race
// run: race-free
// executions: 2
#include <omp.h>
int tickets, x;

int main(void) {
#pragma omp parallel num_threads(2)
  {
    int mine;
#pragma omp atomic capture
    mine = tickets++;
    if (omp_get_thread_num() == 0)
      x = mine; //~ race x #1
    else if (mine == 0)
      x = 7; //~ race x #1
  }
  return 0;
}
