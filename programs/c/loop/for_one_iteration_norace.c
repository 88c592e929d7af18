// Only one iteration touches the variable; a compiler that reads it ahead of the loop must not be taken for the program.
// expect: race-free all-schedules
#include <assert.h>
#define N 40

int a[N], x = 1;

int main(void) {
#pragma omp parallel for schedule(static)
  for (int i = 0; i < N; i++) {
    a[i] = i;
    if (a[i] % N == 20)
      x += i;
  }
  assert(x == 21);
  return 0;
}
