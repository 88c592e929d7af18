#ifndef PRICES_H
#define PRICES_H

/* The price of an item, remembered after it was asked for the first time. */
int price(int item);

#endif
