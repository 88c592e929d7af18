// expect: race
// advice: finish-around
// prints: 7
#include "hclib_cpp.h"
#include <cstdio>

static int answer;

int main() {
  const char *modules[] = {"system"};
  hclib::launch(modules, 1, []() {
    hclib::async([]() {
      answer = 7; //~ race answer #1
    });
    printf("%d\n", answer); //~ race answer #1
  });
  return 0;
}
