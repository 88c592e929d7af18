// Sequentially consistent atomics: at most one of the two sees the other absent.
// expect: race-free observed-schedule
#include <assert.h>

int flag[2], entered[2];

int main(void) {
#pragma omp parallel for num_threads(2) schedule(static, 1)
  for (int me = 0; me < 2; me++) {
    int other;
#pragma omp atomic write seq_cst
    flag[me] = 1;
#pragma omp atomic read seq_cst
    other = flag[1 - me];
    entered[me] = !other;
  }
  assert(entered[0] + entered[1] <= 1);
  return 0;
}
