// An exchange takes the old value and leaves a new one, as one step.
// expect: race-free observed-schedule
#include <assert.h>

int slot = -1, seen[4];

int main(void) {
#pragma omp parallel for num_threads(4) schedule(static, 1)
  for (int me = 0; me < 4; me++) {
    int old;
#pragma omp atomic capture
    {
      old = slot;
      slot = me;
    }
    if (old >= 0) {
#pragma omp atomic
      seen[old]++;
    }
  }
  assert(seen[0] + seen[1] + seen[2] + seen[3] == 3 && seen[slot] == 0);
  return 0;
}
