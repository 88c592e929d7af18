// The implementation chooses the schedule; no choice makes these iterations meet.
// expect: race-free all-schedules
#include <assert.h>
#define N 40

unsigned a[N];

int main(void) {
#pragma omp parallel for schedule(auto)
  for (unsigned i = 0; i < N; i += 2)
    a[i + 1] = a[i] + 1;
  for (int i = 0; i < N; i++)
    assert(a[i] == (unsigned)i % 2);
  return 0;
}
