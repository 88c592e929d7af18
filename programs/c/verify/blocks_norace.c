// Blocks that are allocated inside and outside of sections have the same names whoever comes first; only the list is shared.
// expect: race-free all-schedules
// run: race-free
// executions: 6
#include <stdlib.h>
struct node {
  struct node *next;
  int value;
} *list;

int main(void) {
  int sum = 0;
#pragma omp parallel for num_threads(3) schedule(static, 1)
  for (int i = 0; i < 3; i++) {
    struct node *own = malloc(sizeof *own);
    own->value = i;
#pragma omp critical
    {
      int *note = malloc(sizeof *note);
      *note = i;
      own->next = list;
      list = own;
      free(note);
    }
  }
  for (struct node *at = list; at; at = at->next)
    sum += at->value;
  return sum != 3;
}
