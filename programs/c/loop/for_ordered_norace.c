// The ordered regions run one after another, in the order of the iterations.
// expect: race-free all-schedules
#include <assert.h>
#define N 20

int order[N], used;

int main(void) {
#pragma omp parallel for ordered schedule(dynamic)
  for (int i = 0; i < N; i++) {
#pragma omp ordered
    {
      order[used] = i;
      used = used + 1;
    }
  }
  for (int i = 0; i < N; i++)
    assert(order[i] == i);
  return 0;
}
