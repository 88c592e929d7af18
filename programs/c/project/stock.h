#ifndef STOCK_H
#define STOCK_H

#define SHELVES 8
#define ITEMS 16

/* One shelf: counted by a single task at a time. */
struct shelf {
  int items[ITEMS];
  int count;
};

extern struct shelf shelves[SHELVES];

void shelf_fill(struct shelf *shelf, int seed);
void shelf_count(struct shelf *shelf);

/* The number of items on all shelves, counted by tasks. */
int stock_count(void);

#endif
