// Whole structs are copied to elements of their own.
// expect: race-free all-schedules
#include <assert.h>

struct point {
  double x, y, z;
  int id;
};
struct point from = {1, 2, 3, 4}, to[6];

int main(void) {
#pragma omp parallel for
  for (int i = 0; i < 6; i++)
    to[i] = from;
  assert(to[5].id == 4 && to[0].z == 3);
  return 0;
}
