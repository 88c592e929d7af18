// Branch and bound, a task for each item taken: all tasks read and improve the best value, without synchronisation.
// expect: race
// args: 20 1
#include "hclib_cpp.h"
#include <cassert>
#include <cstdlib>
#define MOST 64

typedef struct {
  int value, weight;
} Item;

static Item items[MOST];
static int count, best;

static void improve(int value) {
  if (value > best) //~ race best #2
    best = value;   //~ race best #1 #2 #3
}

static int search(int at, int capacity, int value) {
  if (capacity < 0)
    return -1;
  if (at == count || capacity == 0)
    return value;
  if (value + capacity * items[at].value / items[at].weight < best) //~ race best #1
    return -1;
  int with, without;
  hclib::finish([&]() {
    hclib::async([=, &with]() { with = search(at + 1, capacity - items[at].weight, value + items[at].value); });
    without = search(at + 1, capacity, value);
  });
  int found = with > without ? with : without;
  improve(found);
  return found;
}

// What taking whatever still fits gives. A search that begins with less by one does about the same work in any order.
static int greedy(int capacity) {
  int value = 0;
  for (int i = 0; i < count; i++)
    if (items[i].weight <= capacity) {
      capacity -= items[i].weight;
      value += items[i].value;
    }
  return value;
}

static int by_ratio(const void *a, const void *b) {
  const Item *x = (const Item *)a, *y = (const Item *)b;
  long left = (long)y->value * x->weight, right = (long)x->value * y->weight;
  return left < right ? -1 : left > right;
}

// The optimum, by dynamic programming over the capacities.
static int optimum(int capacity) {
  int *most = (int *)calloc(capacity + 1, sizeof(int));
  for (int i = 0; i < count; i++)
    for (int c = capacity; c >= items[i].weight; c--)
      if (most[c - items[i].weight] + items[i].value > most[c])
        most[c] = most[c - items[i].weight] + items[i].value;
  int result = most[capacity];
  free(most);
  return result;
}

int main(int argc, char **argv) {
  count = argc > 1 ? atoi(argv[1]) : 48;
  int rounds = argc > 2 ? atoi(argv[2]) : 6;
  assert(count <= MOST);
  // Value and weight go together, which leaves little to cut off.
  unsigned state = 1;
  int weight = 0, found;
  for (int i = 0; i < count; i++) {
    state = state * 1103515245u + 12345u;
    items[i].weight = 10 + (state >> 16) % 50;
    items[i].value = items[i].weight + 10;
    weight += items[i].weight;
  }
  qsort(items, count, sizeof(Item), by_ratio);
  for (int round = 0; round < rounds; round++) {
    best = greedy(weight / 2) - 1;
    const char *modules[] = {"system"};
    hclib::launch(modules, 1, [&]() { found = search(0, weight / 2, 0); });
    assert(found == optimum(weight / 2));
  }
  return 0;
}
