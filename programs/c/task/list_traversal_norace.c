// One thread walks a list and makes a task for each node.
// expect: race-free all-schedules
#include <assert.h>

struct node {
  int value;
  struct node *next;
} nodes[10];

int main(void) {
  for (int i = 0; i < 10; i++) {
    nodes[i].value = i;
    nodes[i].next = i < 9 ? &nodes[i + 1] : 0;
  }
#pragma omp parallel
#pragma omp single
  for (struct node *p = nodes; p; p = p->next) {
#pragma omp task firstprivate(p)
    p->value *= 2;
  }
  for (int i = 0; i < 10; i++)
    assert(nodes[i].value == 2 * i);
  return 0;
}
