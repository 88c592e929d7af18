// A task for each node of a list, some work each.
// expect: race-free all-schedules
// args: 500
#include <assert.h>
#include <stdlib.h>

typedef struct Node {
  struct Node *next;
  unsigned value, steps;
} Node;

// Collatz: how many steps to 1.
static void work(Node *node) {
  unsigned long n = node->value;
  for (node->steps = 0; n != 1; node->steps++)
    n = n % 2 ? 3 * n + 1 : n / 2;
}

int main(int argc, char **argv) {
  long count = argc > 1 ? atol(argv[1]) : 1000000;
  Node *list = NULL;
  for (long i = count; i > 0; i--) {
    Node *node = malloc(sizeof(Node));
    *node = (Node){.next = list, .value = (unsigned)i};
    list = node;
  }
#pragma omp parallel
#pragma omp single
  for (Node *at = list; at; at = at->next) {
#pragma omp task firstprivate(at)
    work(at);
  }
  long longest = 0;
  while (list) {
    Node *next = list->next;
    if (list->value == 27)
      assert(list->steps == 111);
    if (list->steps > longest)
      longest = list->steps;
    free(list);
    list = next;
  }
  assert(longest >= 111);
  return 0;
}
