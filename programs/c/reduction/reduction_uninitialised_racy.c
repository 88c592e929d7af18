// One thread sets the original variable while others may already combine into it.
// expect: race
#include <omp.h>

int sum;

int main(void) {
#pragma omp parallel num_threads(2)
  {
    if (omp_get_thread_num() == 0)
      sum = 0; //~ race sum #1
#pragma omp for reduction(+ : sum) //~ race sum #1
    for (int i = 0; i < 8; i++)
      sum += i;
  }
  return 0;
}
