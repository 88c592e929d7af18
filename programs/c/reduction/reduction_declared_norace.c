// A reduction of one's own: the point farthest to the right.
// expect: race-free all-schedules
#include <assert.h>

struct point {
  int x, y;
};

static void keep(struct point *out, const struct point *in) {
  if (in->x > out->x)
    *out = *in;
}

#pragma omp declare reduction(rightmost : struct point : keep(&omp_out, &omp_in)) \
    initializer(omp_priv = {-1000, 0})

int main(void) {
  struct point best = {-1, -1};
#pragma omp parallel for reduction(rightmost : best) schedule(dynamic)
  for (int i = 0; i < 20; i++) {
    struct point p = {(i * 7) % 20, i};
    keep(&best, &p);
  }
  assert(best.x == 19 && (best.y * 7) % 20 == 19);
  return 0;
}
