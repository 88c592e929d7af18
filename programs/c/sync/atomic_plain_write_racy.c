// One thread resets with a plain store what others count atomically.
// expect: race
#include <omp.h>

int counter;

int main(void) {
#pragma omp parallel num_threads(3)
  {
    if (omp_get_thread_num() == 0)
      counter = 0; //~ race counter #1
    else {
#pragma omp atomic
      counter++; //~ race counter #1
    }
  }
  return 0;
}
