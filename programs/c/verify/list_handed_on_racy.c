// A list under a lock: who takes a node owns it. The second thread keeps using a node it has put back.
// expect: race
// run: race-free
// executions: 2
#include <stdlib.h>
struct node {
  struct node *next;
  int value;
} *list;

static struct node *take(void) {
  struct node *got;
#pragma omp critical
  {
    got = list;
    if (got)
      list = got->next;
  }
  return got;
}

int main(void) {
#pragma omp parallel sections num_threads(2)
  {
#pragma omp section
    {
      struct node *got = take();
      if (got)
        got->value = 1; //~ race heap[].value #1
    }
#pragma omp section
    {
      struct node *own = malloc(sizeof *own);
      own->value = 2;
#pragma omp critical
      {
        own->next = list;
        list = own;
      }
      own->value = 3; //~ race heap[].value #1
    }
  }
  return 0;
}
