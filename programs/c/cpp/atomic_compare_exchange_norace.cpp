// A lock-free stack: nodes are pushed by several threads and taken down after the region.
// expect: race-free observed-schedule
#include <atomic>
#include <cassert>

struct Node {
  int value;
  Node *next;
};
std::atomic<Node *> top{nullptr};

int main() {
#pragma omp parallel for num_threads(4)
  for (int i = 0; i < 12; i++) {
    Node *node = new Node{i, top.load()};
    while (!top.compare_exchange_weak(node->next, node))
      ;
  }
  int sum = 0;
  while (Node *node = top) {
    sum += node->value;
    top = node->next;
    delete node;
  }
  assert(sum == 66);
  return 0;
}
