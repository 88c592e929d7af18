// A count of a stock with two races: one in the static library, one in the shared one.
// expect: race
#include "prices.h"
#include "stock.h"
#include <stdio.h>

int value[SHELVES];

int main(void) {
  int items = 0;
#pragma omp parallel
  {
#pragma omp for
    for (int s = 0; s < SHELVES; s++)
      shelf_fill(&shelves[s], s);
#pragma omp single
    items = stock_count();
#pragma omp for schedule(static, 1)
    for (int s = 0; s < SHELVES; s++)
      value[s] = shelves[s].count * price(s % 3);
  }
  printf("%d items\n", items);
  return 0;
}
