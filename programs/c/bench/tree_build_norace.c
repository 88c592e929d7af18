// Builds a tree and sums its values, a task for each left child.
// expect: race-free all-schedules
// args: 8
#include <assert.h>
#include <stdlib.h>

typedef struct Node {
  struct Node *left, *right;
  long value, sum;
} Node;

static Node *build(int depth, long value) {
  Node *node = malloc(sizeof(Node));
  *node = (Node){.value = value};
  if (depth > 0) {
#pragma omp task
    node->left = build(depth - 1, 2 * value);
    node->right = build(depth - 1, 2 * value + 1);
#pragma omp taskwait
  }
  return node;
}

static void sum(Node *node) {
  node->sum = node->value;
  if (node->left) {
#pragma omp task
    sum(node->left);
    sum(node->right);
#pragma omp taskwait
    node->sum += node->left->sum + node->right->sum;
  }
}

static void drop(Node *node) {
  if (node) {
    drop(node->left);
    drop(node->right);
    free(node);
  }
}

int main(int argc, char **argv) {
  int depth = argc > 1 ? atoi(argv[1]) : 19;
  Node *root;
#pragma omp parallel
#pragma omp single
  {
    root = build(depth, 1);
    sum(root);
  }
  long nodes = (2L << depth) - 1;
  assert(root->sum == nodes * (nodes + 1) / 2);
  drop(root);
  return 0;
}
