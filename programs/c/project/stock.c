#include "stock.h"

static int total;

int stock_count(void) {
  total = 0;
  for (int s = 0; s < SHELVES; s++) {
#pragma omp task
    {
      shelf_count(&shelves[s]);
      total += shelves[s].count; //~ race total #1
    }
  }
#pragma omp taskwait
  return total;
}
