// expect: race
// advice: finish-around
// prints: 7
#include "hclib.h"
#include <stdio.h>

static int answer;

static void sets(void *unused) {
  (void)unused;
  answer = 7; //~ race answer #1
}

static void asks(void *unused) {
  (void)unused;
  hclib_async(sets, NULL, NULL, 0, NULL);
  printf("%d\n", answer); //~ race answer #1
}

int main(void) {
  const char *modules[] = {"system"};
  hclib_launch(asks, NULL, modules, 1);
  return 0;
}
