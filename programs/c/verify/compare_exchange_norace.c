// A stack without locks: a push that finds the top changed tries again.
// expect: race-free all-schedules
// run: race-free
// executions: 48
#include <stdatomic.h>
#include <stdlib.h>
struct node {
  struct node *next;
  int value;
};
_Atomic(struct node *) top;

int main(void) {
  int sum = 0;
#pragma omp parallel for num_threads(3) schedule(static, 1)
  for (int i = 1; i <= 3; i++) {
    struct node *own = malloc(sizeof *own);
    own->value = i;
    own->next = atomic_load(&top);
    while (!atomic_compare_exchange_strong(&top, &own->next, own))
      ;
  }
  for (struct node *at = top; at; at = at->next)
    sum += at->value;
  return sum != 6;
}
