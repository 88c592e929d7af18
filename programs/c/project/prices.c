#include "prices.h"

static int known[8];

int price(int item) {
  if (known[item] == 0)          //~ race known[] #2
    known[item] = 10 + item * 3; //~ race known[] #2 race? known[] #3 #4
  return known[item];            //~ race? known[] #4
}
