// Static variables that main sets before the tasks begin, and changes when they are over.
// expect: race-free all-schedules
#include <assert.h>

static int cutoff, weights[8];
static struct {
  int first, step;
} range;

static int sum(int from, int to) {
  int left, right;
  if (to - from <= cutoff) {
    left = 0;
    for (int i = from; i < to; i++)
      left += weights[i % 8] * range.step + range.first;
    return left;
  }
#pragma omp task shared(left)
  left = sum(from, (from + to) / 2);
  right = sum((from + to) / 2, to);
#pragma omp taskwait
  return left + right;
}

int main(int argc, char **argv) {
  (void)argv;
  int total = 0;
  for (int round = 0; round < 2; round++) {
    cutoff = 3 + argc;
    range.first = round;
    range.step = 1 + round;
    for (int i = 0; i < 8; i++)
      weights[i] = i + argc;
#pragma omp parallel
#pragma omp single
    total += sum(0, 64);
  }
  // 64 numbers from 1 to 8: once as they are, once doubled and one more.
  assert(argc != 1 || total == 3 * 288 + 64);
  return 0;
}
