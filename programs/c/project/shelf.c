#include "stock.h"

struct shelf shelves[SHELVES];

void shelf_fill(struct shelf *shelf, int seed) {
  for (int i = 0; i < ITEMS; i++)
    shelf->items[i] = (seed * 7 + i) % 5;
}

void shelf_count(struct shelf *shelf) {
  shelf->count = 0;
  for (int i = 0; i < ITEMS; i++)
    shelf->count += shelf->items[i];
}
