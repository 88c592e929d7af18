// Tasks reduce a section of an array: their copies hold all of it.
// expect: race-free
#include <assert.h>
int main(void) {
  int h[8] = {0};
#pragma omp parallel num_threads(4)
#pragma omp single
#pragma omp taskgroup task_reduction(+ : h[0 : 8])
  {
    for (int i = 0; i < 32; i++)
#pragma omp task in_reduction(+ : h[0 : 8]) firstprivate(i)
      h[i % 8] += 1;
  }
  for (int i = 0; i < 8; i++)
    assert(h[i] == 4);
}
