// Every thread draws a ticket of its own, and uses it as an index.
// expect: race-free observed-schedule
#include <assert.h>

int next, taken[8];

int main(void) {
#pragma omp parallel num_threads(4)
  {
    int ticket;
#pragma omp atomic capture
    ticket = next++;
    taken[ticket]++;
  }
  assert(next == 4);
  for (int i = 0; i < 4; i++)
    assert(taken[i] == 1);
  return 0;
}
