// The same with the clause that was missing.
// expect: race-free all-schedules
#include <assert.h>
#define N 40

int temporary = 5;
int a[N];

int main(void) {
#pragma omp parallel for private(temporary) schedule(dynamic)
  for (int i = 0; i < N; i++) {
    temporary = i * 2;
    a[i] = temporary + 1;
  }
  for (int i = 0; i < N; i++)
    assert(a[i] == 2 * i + 1);
  assert(temporary == 5);
  return 0;
}
