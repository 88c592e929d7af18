// The order is that of the collapsed iterations.
// expect: race-free all-schedules
#include <assert.h>
int n;
int main(void) {
#pragma omp parallel for collapse(2) ordered
  for (int i = 0; i < 4; i++)
    for (int j = 0; j < 4; j++) {
#pragma omp ordered
      {
        assert(n == i * 4 + j);
        n++;
      }
    }
  return 0;
}
