// The same after the wait.
// expect: race-free all-schedules
#include <assert.h>
#include <stdlib.h>

struct tree {
  int sum;
  struct tree *child[2];
};

static struct tree *grow(int depth) {
  struct tree *t = calloc(1, sizeof *t);
  t->sum = 1;
  for (int i = 0; i < 2 && depth > 0; i++) {
#pragma omp task
    t->child[i] = grow(depth - 1);
  }
#pragma omp taskwait
  for (int i = 0; i < 2 && depth > 0; i++) {
    t->sum += t->child[i]->sum;
    free(t->child[i]);
  }
  return t;
}

int main(void) {
#pragma omp parallel
#pragma omp single
  {
    struct tree *t = grow(4);
    assert(t->sum == 31);
    free(t);
  }
  return 0;
}
