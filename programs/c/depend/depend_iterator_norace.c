// The last task depends on all elements, listed by an iterator.
// expect: race-free all-schedules
#include <assert.h>
#define N 6

int a[N];

int main(void) {
#pragma omp parallel
#pragma omp single
  {
    for (int i = 0; i < N; i++) {
#pragma omp task depend(out : a[i])
      a[i] = i;
    }
#pragma omp task depend(iterator(int k = 0 : N), in : a[k])
    {
      int sum = 0;
      for (int i = 0; i < N; i++)
        sum += a[i];
      assert(sum == 15);
    }
  }
  return 0;
}
